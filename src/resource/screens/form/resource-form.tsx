import { Form } from 'antd'
import { type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import type { Row } from '@/data/rows'
import { useRefusedFields } from '@/resource/fields/guards'
import type { Definition } from '@/resource/language/definition.generated'
import { canDuplicate, createdPath, formOf, hasShow, listPath, showPath } from '@/resource/language/naming'
import { useWords } from '@/resource/language/words'
import { ASKED_ACTION, actionsOn, isImmediate, isOffered } from '@/resource/request/filter/actions'
import { recordTitle } from '@/resource/request/query/title'
import { useRecord } from '@/resource/request/query/use-record-query'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { useActionRpc } from '@/resource/request/query/use-write'
import { duplicateValues } from '@/resource/screens/form/form-values'
import type { WaitingFiles } from '@/resource/screens/form/new-files'
import { RecordForm } from '@/resource/screens/form/record-form'
import { readPreset } from '@/resource/screens/form/restored'
import { keptReturn, returnPath } from '@/resource/screens/form/return-path'
import { useErrorText } from '@/resource/use-error-text'
import { ErrorState } from '@/ui/error-state'
import { lazyPart } from '@/ui/load-chunk'
import { LoadingState, PartLoading } from '@/ui/loading-state'
import { PageHeader } from '@/ui/page-header'

/**
 * Runs the action that `form.after_create` names, if the new record meets its `when`: at once if it needs no input,
 * otherwise as state for the record's page. A failure is reported; the record is kept.
 */
function useAfterCreate(definition: Definition): (saved: Row) => Promise<Row | undefined> {
  const runRpc = useActionRpc(definition)
  const scope = useResourceScope()
  return async (saved) => {
    const wanted = formOf(definition)?.after_create
    const named = actionsOn(definition).find(({ name }) => name === wanted)
    if (!named || !isOffered(definition, named.action, saved, scope.filter)) return undefined
    if (!isImmediate(named)) return hasShow(definition) ? { [ASKED_ACTION]: named.name } : undefined
    await runRpc(named, [saved])
    return undefined
  }
}

/** The field that takes the chosen card, and the card: null while another one is chosen. */
interface CardOfForm {
  field: string
  id: string | null
}

interface ResourceFormProps {
  definition: Definition
  record?: Row
  preset?: Row
  restored?: Row
  companyId?: string | null
  reload?: () => Promise<Row | undefined>
  /** Above the form: the card that it began with. */
  head?: ReactNode
  card?: CardOfForm
}

const NewFiles = lazyPart(() =>
  import('@/resource/screens/form/new-files').then((module) => ({ default: module.NewFiles })),
)
const CardChoice = lazyPart(() =>
  import('@/resource/screens/form/card-choice').then((module) => ({ default: module.CardChoice })),
)
const ChosenCard = lazyPart(() =>
  import('@/resource/screens/form/card-choice').then((module) => ({ default: module.ChosenCard })),
)

/** Gives the field the card that is chosen after the first one. All other values stay, except choices that belong to the earlier one. */
function CardValue({ definition, field, id }: CardOfForm & { definition: Definition }) {
  const form = Form.useFormInstance<Row>()
  const set = useRef(id)
  useEffect(() => {
    if (set.current === id) return
    set.current = id
    const value = id === '' ? null : id
    if (id === null || form.getFieldValue(field) === value) return
    form.setFieldValue(field, value)
    for (const [name, other] of Object.entries(definition.fields))
      if ('where' in other && JSON.stringify(other.where ?? {}).includes(`"$record.${field}`))
        form.setFieldValue(name, null)
  }, [form, definition, field, id])
  return null
}

/** A form with its own page, which opens the record after saving. */
export function ResourceForm({ definition, record, head, card, ...rest }: ResourceFormProps) {
  const { t } = useTranslation(['engine', 'common'])
  const words = useWords(definition)
  const navigate = useNavigate()
  const location = useLocation()
  const afterCreate = useAfterCreate(definition)
  const back = record && hasShow(definition) ? showPath(definition, String(record.id)) : listPath(definition)
  const handleSaved = async (saved: Row) => {
    const next = record ? undefined : await afterCreate(saved)
    if (!hasShow(definition))
      return navigate(returnPath(location.state, listPath(definition)), { state: next })
    const id = String(saved.id)
    const path = record ? showPath(definition, id) : createdPath(definition, id)
    navigate(path, { state: { ...keptReturn(location.state, showPath(definition, id)), ...next } })
  }
  const files = useRef<WaitingFiles | null>(null)
  const handleReady = useCallback((ready: WaitingFiles) => {
    files.current = ready
  }, [])
  const hasWaiting = useCallback(() => files.current?.isDirty() === true, [])
  const takesFiles = !record && definition.attachments === true && formOf(definition)?.attachments === true
  return (
    <div className="k-form-page">
      <PageHeader
        title={
          record
            ? t('form.editTitle', { title: recordTitle(definition, record) })
            : t('common:actions.new', { name: words.one })
        }
      />
      {head}
      <RecordForm
        definition={definition}
        record={record}
        {...rest}
        {...(takesFiles ? { afterSave: async (saved: Row) => files.current?.attach(saved) } : {})}
        isExtraDirty={hasWaiting}
        extra={
          <>
            {card ? <CardValue definition={definition} {...card} /> : null}
            {takesFiles ? (
              <Suspense fallback={<PartLoading rows={1} />}>
                <NewFiles definition={definition} onReady={handleReady} />
              </Suspense>
            ) : null}
          </>
        }
        onSaved={(saved) => void handleSaved(saved)}
        onCancel={() => navigate(returnPath(location.state, back))}
      />
    </div>
  )
}

/** An empty form, a copy of another record (`?duplicate=<id>`), or one that another page filled in. */
export function NewRecord({ definition }: { definition: Definition }) {
  const [params] = useSearchParams()
  const { state } = useLocation()
  const refused = useRefusedFields(definition)
  const origin = params.get('duplicate')
  if (origin === null || !canDuplicate(definition)) {
    const preset = readPreset(state, definition, refused)
    if (preset === null) return <FormFromCard definition={definition} />
    const { company_id: company, ...values } = preset
    return (
      <ResourceForm
        definition={definition}
        preset={values}
        companyId={typeof company === 'string' ? company : null}
      />
    )
  }
  return <Duplicate key={origin} definition={definition} id={origin} />
}

/** The parameter of the address that says which card was chosen; empty for a record without one. */
const CARD = 'card'

/**
 * An empty form, which begins with cards where the definition says so. The address keeps the card, so that Back leads to
 * them; the form waits behind them with all that was typed.
 */
function FormFromCard({ definition }: { definition: Definition }) {
  const [params, setParams] = useSearchParams()
  const field = formOf(definition)?.cards
  const card = params.get(CARD)
  const [chosen, setChosen] = useState(card)
  if (card !== null && card !== chosen) setChosen(card)
  if (field === undefined) return <ResourceForm definition={definition} />
  return (
    <>
      {card === null ? (
        <Suspense fallback={<LoadingState rows={6} />}>
          <CardChoice
            definition={definition}
            field={field}
            onChoose={(id) => setParams({ [CARD]: id ?? '' })}
          />
        </Suspense>
      ) : null}
      {chosen === null ? null : (
        <div hidden={card === null}>
          <ResourceForm
            definition={definition}
            {...(chosen === '' ? {} : { preset: { [field]: chosen } })}
            card={{ field, id: card }}
            head={
              <Suspense fallback={null}>
                <ChosenCard definition={definition} field={field} id={chosen} onBack={() => setParams({})} />
              </Suspense>
            }
          />
        </div>
      )}
    </>
  )
}

function Duplicate({ definition, id }: { definition: Definition; id: string }) {
  const { t } = useTranslation('engine')
  const errorText = useErrorText()
  const { data, error, refetch } = useRecord(definition, id, useResourceScope())
  if (data)
    return (
      <ResourceForm
        definition={definition}
        preset={duplicateValues(definition, data, t('form.copy'))}
        companyId={typeof data.company_id === 'string' ? data.company_id : null}
      />
    )
  if (error) return <ErrorState text={errorText(error)} onRetry={() => void refetch()} />
  return <LoadingState rows={8} />
}
