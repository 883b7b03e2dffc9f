import DeleteOutlined from '@ant-design/icons/es/icons/DeleteOutlined'
import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button, Skeleton } from 'antd'
import { useEffect, useId, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useCan } from '@/access/use-can'
import type { Row } from '@/data/rows'
import { useReadable, useRefusedFields } from '@/resource/fields/guards'
import { FieldInput } from '@/resource/fields/inputs'
import { kindOf } from '@/resource/fields/kinds'
import type { Children, Definition } from '@/resource/language/definition.generated'
import { type ResourceWords, useWords } from '@/resource/language/words'
import { recordTitle } from '@/resource/request/query/title'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { isShown } from '@/resource/screens/form/check-record'
import { type ChildRow, MAX_CHILDREN } from '@/resource/screens/form/children/child-rows'
import { type ChildRows, useChildRows } from '@/resource/screens/form/children/use-child-rows'
import { useProblemText } from '@/resource/screens/form/use-problem-text'
import { useRefusalText } from '@/resource/screens/form/use-refusal-text'
import { useErrorText } from '@/resource/use-error-text'
import { ErrorState } from '@/ui/error-state'
import '@/resource/screens/form/children/children.css'

/** The form calls these on a list of children. */
export interface ChildHandle {
  /** Their name, for a message about them. */
  name: string
  isDirty: () => boolean
  /** Validates the rows and marks the errors. */
  check: () => boolean
  /** Writes them under the saved parent. False if a row was refused, which is marked then. @throws DataError */
  save: (parent: Row) => Promise<boolean>
}

interface ChildListProps {
  target: Definition
  /** Which records of `target` they are. */
  of: Children
  parentId: string | undefined
  companyId: string | null
  disabled: boolean
  onReady: (handle: ChildHandle) => void
}

/** Records that refer to this one, edited in its form. */
export function ChildList({ target, of, parentId, companyId, disabled, onReady }: ChildListProps) {
  const { t } = useTranslation('engine')
  const can = useCan()
  const errorText = useErrorText()
  const definition = useReadable(target)
  const words = useWords(definition)
  const list = useChildRows(definition, of, parentId)
  const added = useRef<string | null>(null)
  const box = useRef<HTMLFieldSetElement>(null)
  useEffect(() => {
    onReady({ name: words.many, isDirty: list.isDirty, check: list.check, save: list.save })
    if (added.current === null) return
    // The controls load lazily: the row itself takes the focus, its first control is next.
    box.current?.querySelector<HTMLElement>(`[data-child="${added.current}"]`)?.focus()
    added.current = null
  })
  const removed = list.rows.filter(({ isRemoved }) => isRemoved).length
  const shown = list.rows.filter(({ isRemoved }) => !isRemoved)
  const mayCreate = can(definition.name, 'create').allowed
  return (
    <fieldset className="k-form-section k-children" ref={box}>
      <legend>{words.many}</legend>
      <div className="k-rows">
        {list.isReading ? <Skeleton active title={false} /> : null}
        {list.error ? <ErrorState text={errorText(list.error)} onRetry={list.retry} /> : null}
        {!list.isReading && !list.error && shown.length === 0 ? (
          <p className="k-soft">{t('children.none', { name: words.many })}</p>
        ) : null}
        {shown.map((row, index) => (
          <ChildFields
            key={row.key}
            {...{ definition, words, list, row, companyId }}
            place={index + 1}
            disabled={disabled || !can(definition.name, row.stored ? 'edit' : 'create').allowed}
            canRemove={!disabled && (!row.stored || can(definition.name, 'delete').allowed)}
          />
        ))}
        {list.hasMore ? <p className="k-soft">{t('children.more', { max: MAX_CHILDREN })}</p> : null}
        {removed > 0 ? (
          <p className="k-soft" role="status">
            {t('children.removed', { count: removed })}{' '}
            <button type="button" className="k-link-button" onClick={list.restore}>
              {t('children.undo')}
            </button>
          </p>
        ) : null}
        {mayCreate ? (
          <Button
            icon={<PlusOutlined aria-hidden="true" />}
            disabled={disabled || list.isReading || shown.length >= MAX_CHILDREN}
            onClick={() => {
              added.current = list.add()
            }}
          >
            {t('children.add', { name: words.one })}
          </Button>
        ) : null}
      </div>
    </fieldset>
  )
}

interface ChildFieldsProps {
  definition: Definition
  words: ResourceWords
  list: ChildRows
  row: ChildRow
  place: number
  companyId: string | null
  disabled: boolean
  canRemove: boolean
}

function ChildFields(props: ChildFieldsProps) {
  const { definition, words, list, row, place, companyId, disabled, canRemove } = props
  const { t } = useTranslation('engine')
  const { filter: scope } = useResourceScope()
  const refusalTextOf = useRefusalText(definition, words)
  const problemText = useProblemText(definition, words)
  const refusedFields = useRefusedFields(definition)
  const base = useId()
  const values: Row = { company_id: companyId, ...row.stored, ...row.values }
  const problems = list.problems.get(row.key)
  const refusal = list.refusals.get(row.key)
  const refusalText = refusal?.outcome === 'refused' ? refusalTextOf(refusal.error, refusal.field) : undefined
  const title = row.stored
    ? recordTitle(definition, row.stored)
    : t('children.row', { name: words.one, row: place })
  const errorOf = (name: string) => {
    const problem = problems?.get(name)
    if (problem) return problemText(problem, name)
    return refusal?.field === name ? refusalText : undefined
  }
  return (
    <fieldset
      className="k-rows-row"
      data-child={row.key}
      tabIndex={-1}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget)) list.checkRow(row.key)
      }}
    >
      <legend className="k-visually-hidden">{title}</legend>
      {list.names.map((name) => {
        const field = definition.fields[name]
        if (!field || !isShown(definition, name, values, scope)) return null
        const id = `${base}-${name}`
        const error = errorOf(name)
        return (
          <div key={name} className="k-rows-cell" data-wide={kindOf(field.type).wide}>
            <label htmlFor={id} data-required={field.required}>
              {words.field(name)}
            </label>
            <FieldInput
              id={id}
              field={field}
              name={name}
              resource={definition.name}
              record={values}
              value={row.values[name]}
              disabled={disabled || refusedFields.has(name) || (row.stored !== null && field.once === true)}
              aria-required={field.required === true}
              aria-invalid={error !== undefined}
              aria-describedby={error ? `${id}-error` : undefined}
              onChange={(value) => list.setValue(row.key, name, value)}
            />
            {error ? (
              <span id={`${id}-error`} className="k-child-error" role="alert">
                {error}
              </span>
            ) : null}
          </div>
        )
      })}
      <div className="k-rows-tools">
        {canRemove ? (
          <Button
            type="text"
            icon={<DeleteOutlined aria-hidden="true" />}
            aria-label={t('children.remove', { title })}
            onClick={() => list.remove(row.key)}
          />
        ) : null}
      </div>
      {refusal && refusal.field === undefined ? (
        <p className="k-child-error k-child-refusal" role="alert">
          {refusalText ?? t(refusal.outcome === 'gone' ? 'children.gone' : 'children.stale')}{' '}
          {refusal.outcome === 'refused' ? null : (
            <button type="button" className="k-link-button" onClick={() => list.takeTheirs(row.key)}>
              {t('children.takeTheirs')}
            </button>
          )}
        </p>
      ) : null}
    </fieldset>
  )
}
