import { Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import { isOutOfRole } from '@/access/policy'
import { useCan, useDenialText } from '@/access/use-can'
import type { Row } from '@/data/rows'
import { useReadable } from '@/resource/fields/guards'
import type { Definition, Related } from '@/resource/language/definition.generated'
import { canCreate, formOf, listOf, relatedTab, showOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { useWords } from '@/resource/language/words'
import { MissingComponent } from '@/resource/missing-component'
import { actionsOn, isOffered } from '@/resource/request/filter/actions'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { actionIcon } from '@/resource/screens/actions/action-icon'
import { useActionRunner } from '@/resource/screens/actions/use-action-runner'
import { DeniedState } from '@/ui/denied-state'
import { EmptyState } from '@/ui/empty-state'
import { lazyPart } from '@/ui/load-chunk'
import { PartLoading } from '@/ui/loading-state'

const RecordList = lazyPart(() =>
  import('@/resource/screens/list/record-list').then((module) => ({ default: module.RecordList })),
)
const FormDialog = lazyPart(() =>
  import('@/resource/screens/form/form-dialog').then((module) => ({ default: module.FormDialog })),
)

const TickBox = lazyPart(() =>
  import('@/resource/screens/show/tick-box').then((module) => ({ default: module.TickBox })),
)
const AddLine = lazyPart(() =>
  import('@/resource/screens/show/add-line').then((module) => ({ default: module.AddLine })),
)

interface RelatedListProps {
  /** The definition of the record. */
  definition: Definition
  related: Related
  record: Row
}

/** The records that point here. */
export function RelatedList({ related, ...props }: RelatedListProps) {
  const target = findDefinition(related.resource)
  if (!target) return <MissingComponent component={related.resource} />
  return <RelatedRecords target={target} related={related} {...props} />
}

/** The button of the record's own action that makes such records; null while the record or the user is not offered it. */
function useMaking({ definition, related, record }: RelatedListProps) {
  const can = useCan()
  const words = useWords(definition)
  const scope = useResourceScope()
  const runner = useActionRunner(definition, scope, () => undefined)
  const named = actionsOn(definition).find(({ name }) => name === related.action)
  const isShown =
    named !== undefined &&
    !isOutOfRole(can(named.object, named.verb, record)) &&
    isOffered(definition, named.action, record, scope.filter)
  return {
    button: isShown ? (
      <GuardedButton
        resource={named.object}
        action={named.verb}
        record={record}
        type="primary"
        icon={actionIcon(named.action)}
        onClick={() => runner.run(named, [record])}
      >
        {words.action(named.name)}
      </GuardedButton>
    ) : null,
    dialog: runner.dialog,
  }
}

function RelatedRecords({ target, ...props }: RelatedListProps & { target: Definition }) {
  const { related, record } = props
  const can = useCan()
  const { t } = useTranslation('engine')
  const words = useWords(target)
  const own = useWords(props.definition)
  const making = useMaking(props)
  const denialText = useDenialText()
  const readable = useReadable(target)
  const { tick, add } = related
  const definition = useMemo(() => withoutColumn(readable, tick), [readable, tick])
  const [isCreating, setCreating] = useState(false)
  const verdict = can(target.name, 'list')
  if (!verdict.allowed) return <DeniedState text={denialText(verdict.reason)} />
  const id = String(record.id)
  // A hand-written form cannot take the parent record, so the button opens it as in the list.
  const isInPlace = canCreate(target) && !formOf(target)?.component
  // The list has the name of its tab: a record's list of its own resource is about some of them, such as subtickets.
  const label = own.text('tabs', relatedTab(showOf(props.definition)?.related ?? [], related))
  const isOwn = target.name === props.definition.name
  return (
    <Suspense fallback={<PartLoading />}>
      <RecordList
        definition={definition}
        action={making.button}
        {...(making.button || isOwn
          ? {
              part: {
                empty: (
                  <EmptyState
                    title={words.emptyTitle ?? t('list.empty', { name: label ?? words.many })}
                    text={isOwn ? undefined : words.empty}
                  />
                ),
              },
            }
          : {})}
        under={{
          field: related.by,
          id,
          create:
            related.create === false || add !== undefined
              ? false
              : isInPlace
                ? () => setCreating(true)
                : undefined,
          ...(tick === undefined
            ? {}
            : {
                tick: {
                  field: tick,
                  draw: (row: Row) => (
                    <TickBox definition={readable} name={tick} row={row} parent={props.definition.name} />
                  ),
                },
              }),
        }}
      />
      {add !== undefined && canCreate(target) && can(target.name, 'create').allowed ? (
        <AddLine
          definition={readable}
          name={add}
          under={{ field: related.by, id }}
          companyId={companyOf(related, record)}
          parent={props.definition.name}
        />
      ) : null}
      {isCreating ? (
        <FormDialog
          definition={target}
          preset={{ [related.by]: target.fields[related.by]?.type === 'many-to-many' ? [id] : id }}
          fixed={[related.by]}
          isPart
          companyId={companyOf(related, record)}
          onClose={() => setCreating(false)}
          onCreated={() => setCreating(false)}
        />
      ) : null}
      {making.dialog}
    </Suspense>
  )
}

/** The box before each record says what the column would. */
function withoutColumn(definition: Definition, name: string | undefined): Definition {
  const list = listOf(definition)
  if (name === undefined || !list?.columns) return definition
  const [first, ...others] = list.columns.filter(
    (column) => (typeof column === 'string' ? column : column.field) !== name,
  )
  return first === undefined ? definition : { ...definition, list: { ...list, columns: [first, ...others] } }
}

/** A new record belongs to the company of the one it is for, which may itself be a company. */
function companyOf(related: Related, record: Row): string | null {
  if (related.by === 'company_id') return String(record.id)
  return typeof record.company_id === 'string' ? record.company_id : null
}
