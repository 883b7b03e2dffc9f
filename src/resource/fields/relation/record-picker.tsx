import { Select, Spin } from 'antd'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCan } from '@/access/use-can'
import type { Row } from '@/data/rows'
import { fold } from '@/i18n/fold'
import { isQuickToCreate, presetOf, unfitRows } from '@/resource/fields/relation/picked'
import { useChoices } from '@/resource/fields/relation/use-choices'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import type { FilterScope } from '@/resource/request/filter/scope'
import { recordTitle } from '@/resource/request/query/title'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { lazyPart } from '@/ui/load-chunk'
import { omittedTags, useSearchText } from '@/ui/picker'

const FormDialog = lazyPart(() =>
  import('@/resource/screens/form/form-dialog').then((module) => ({ default: module.FormDialog })),
)

interface RecordPickerProps {
  id?: string
  /** The resource to choose from. */
  to: string
  where?: Filter
  /** The text shown when `where` does not allow the chosen record. */
  unfitText?: 'picker.unfit' | 'picker.deactivated'
  /** The record that `$record` refers to in `where`. */
  record?: Row
  /** The company of the record being filled in, where it is not the one in view. */
  companyId?: string | null
  multiple?: boolean
  /** Whether what is not there yet may be created from here, by those who may. */
  canAdd?: boolean
  value: readonly string[]
  /** A record read already, such as the one that is chosen: it has its title before the choices arrive. */
  known?: Row | null
  isOpenAtFirst?: boolean
  placeholder?: string
  /** Text beside a choice's title, such as how many rows the choice would leave. */
  labelOf?: (id: string, title: string) => string
  disabled?: boolean
  allowClear?: boolean
  onBlur?: () => void
  onChange: (ids: string[]) => void
  'aria-required'?: boolean
  'aria-invalid'?: boolean
  'aria-describedby'?: string
}

const FALLBACK: Definition = { name: '', fields: { name: { type: 'text' } }, tenant: false, lock: false }
/** The last choice of the list; no id of a record. */
const NEW = '+'

export function RecordPicker(props: RecordPickerProps) {
  const { to, where, multiple = false, canAdd = false, value, onChange } = props
  const { t } = useTranslation('engine')
  const can = useCan()
  const scope = useResourceScope()
  const target = findDefinition(to) ?? { ...FALLBACK, name: to }
  const search = useSearchText({ isOpenAtFirst: props.isOpenAtFirst })
  const { text, isTyping, isOpen } = search
  const [creating, setCreating] = useState<string | null>(null)
  // A choice keeps its title before it is read, and after its search is gone.
  const [picked, setPicked] = useState<ReadonlyMap<string, string>>(new Map())
  const filterScope: FilterScope = { ...scope.filter, record: props.record }
  const companyId = target.tenant === false ? null : (props.companyId ?? scope.companyId)
  const { found, current, remember } = useChoices({
    target,
    where,
    filterScope,
    companyId,
    chosen: value,
    text,
    isOpen,
  })
  const chosen = (current.data ?? []).filter((row) => value.includes(String(row.id)))
  const known = props.known ? [props.known] : []
  const titles = new Map(
    [...known, ...chosen, ...(found.data ?? [])].map((row) => [String(row.id), recordTitle(target, row)]),
  )
  const titleOf = (id: string) => titles.get(id) ?? picked.get(id)
  const unfit = unfitRows(target, where, chosen, filterScope)
  const isWaiting = isTyping || found.isLoading
  const isThere = (found.data ?? []).some((row) => fold(recordTitle(target, row)) === fold(text.trim()))
  const offersNew =
    !isWaiting && !isThere && canAdd && isQuickToCreate(target) && can(target.name, 'create').allowed
  const options = [
    ...(isTyping ? [] : (found.data ?? [])).map((row) => {
      const id = String(row.id)
      const title = titleOf(id) ?? id
      return { value: id, label: props.labelOf?.(id, title) ?? title }
    }),
    ...(offersNew
      ? [{ value: NEW, label: text ? t('picker.create', { text }) : t('picker.createNew') }]
      : []),
  ]
  const labeled = value.map((id) => ({
    value: id,
    label: titleOf(id) ?? (current.isPending ? '…' : id.slice(0, 8)),
  }))
  const handleChange = (next: { value: string } | { value: string }[] | undefined) => {
    const all = next === undefined ? [] : Array.isArray(next) ? next : [next]
    const ids = all.map((option) => option.value)
    search.end()
    if (ids.includes(NEW)) return setCreating(text)
    setPicked(new Map(ids.map((id) => [id, titleOf(id) ?? id])))
    remember(ids, [...chosen, ...(found.data ?? [])])
    onChange(ids)
  }
  return (
    <>
      <Select
        id={props.id}
        className="k-full"
        labelInValue
        mode={multiple ? 'multiple' : undefined}
        value={multiple ? labeled : labeled[0]}
        options={options}
        {...search.select}
        loading={isTyping || found.isFetching}
        disabled={props.disabled}
        status={unfit.length > 0 ? 'warning' : undefined}
        placeholder={props.placeholder ?? t('picker.search')}
        allowClear={props.allowClear ?? true}
        maxTagCount="responsive"
        maxTagPlaceholder={omittedTags}
        notFoundContent={
          isWaiting ? <Spin size="small" /> : found.isError ? t('picker.failed') : t('picker.none')
        }
        aria-required={props['aria-required']}
        aria-invalid={props['aria-invalid']}
        aria-describedby={props['aria-describedby']}
        onBlur={() => {
          search.select.onBlur()
          props.onBlur?.()
        }}
        onChange={handleChange}
      />
      {unfit.length > 0 ? (
        <span className="k-unfit" role="status">
          {t(props.unfitText ?? 'picker.unfit', {
            count: unfit.length,
            titles: unfit.map((row) => recordTitle(target, row)).join(', '),
          })}
        </span>
      ) : null}
      {creating === null ? null : (
        <Suspense fallback={null}>
          <FormDialog
            definition={target}
            preset={presetOf(target, creating, where, filterScope)}
            companyId={companyId}
            onClose={() => setCreating(null)}
            onCreated={(row) => {
              setCreating(null)
              onChange(multiple ? [...value, String(row.id)] : [String(row.id)])
            }}
          />
        </Suspense>
      )}
    </>
  )
}
