import { Button } from 'antd'
import { useMemo } from 'react'
import { GuardedButton } from '@/access/guarded-button'
import { useCan } from '@/access/use-can'
import type { Row } from '@/data/rows'
import { useLiveRefresh } from '@/refine/use-live-refresh'
import { useReadable } from '@/resource/fields/guards'
import type { Above, Definition, Related } from '@/resource/language/definition.generated'
import { relatedTab, showOf, tableOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { useWords } from '@/resource/language/words'
import { actionFields, actionsOn, isOffered } from '@/resource/request/filter/actions'
import { underFilter } from '@/resource/request/filter/under'
import { parseListState } from '@/resource/request/query/list-state'
import { useListQuery } from '@/resource/request/query/use-list-query'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { useRefresh } from '@/resource/request/query/use-write'
import { actionIcon } from '@/resource/screens/actions/action-icon'
import { RecordFacts } from '@/resource/screens/actions/record-facts'
import { useActionRunner } from '@/resource/screens/actions/use-action-runner'
import { OVERVIEW, useTabAddress } from '@/resource/screens/show/record-tabs'
import '@/resource/screens/show/related-above.css'

/** More of them are in their own tab. */
const MAX_RECORDS = 3

interface RelatedAboveProps {
  definition: Definition
  related: Related
  record: Row
}

/** The first related records that wait for somebody, with the actions that the user is offered on them; nothing without any. */
export function RelatedAbove(props: RelatedAboveProps) {
  const target = findDefinition(props.related.resource)
  const { above } = props.related
  return target && above ? <Waiting {...props} target={target} above={above} /> : null
}

function Waiting({
  definition,
  related,
  record,
  target,
  above,
}: RelatedAboveProps & { target: Definition; above: Above }) {
  const can = useCan()
  const words = useWords(definition)
  const { choose } = useTabAddress(definition, String(record.id), OVERVIEW)
  const targetWords = useWords(target)
  const scope = useResourceScope()
  const readable = useReadable(target)
  const refresh = useRefresh(definition)
  const runner = useActionRunner(readable, scope, () => void refresh())
  const state = useMemo(
    () => ({ ...parseListState(new URLSearchParams(), readable, findDefinition), sort: [] }),
    [readable],
  )
  const fields = [...above.fields, ...actionFields(readable)]
  const result = useListQuery(readable, fields, state, scope, {
    ...underFilter(target, { field: related.by, id: String(record.id) }),
    ...above.filter,
  })
  const companyId = typeof record.company_id === 'string' ? record.company_id : null
  // Nothing is known of when it was read, so that every message after a lost connection reads it again.
  useLiveRefresh(
    companyId,
    [tableOf(target)],
    [{ isEnabled: true, dataUpdatedAt: 0, refetch: result.refetch }],
  )
  const rows = result.list?.rows ?? []
  if (rows.length === 0) return null
  const tab = relatedTab(showOf(definition)?.related ?? [], related)
  const title = words.text('above', tab) ?? targetWords.many
  return (
    <section className="k-above" aria-label={title}>
      <header>
        <h3>{title}</h3>
        <Button type="link" size="small" onClick={() => choose(tab)}>
          {words.text('tabs', tab) ?? targetWords.many}
          {rows.length > MAX_RECORDS ? ` (${rows.length})` : ''}
        </Button>
      </header>
      {rows.slice(0, MAX_RECORDS).map((row) => (
        <div key={String(row.id)} className="k-above-record">
          <RecordFacts definition={readable} shows={above.fields} row={row} />
          <div className="k-above-acts">
            {actionsOn(readable, 'record')
              .filter(
                ({ action, object, verb }) =>
                  can(object, verb, row).allowed && isOffered(readable, action, row, scope.filter),
              )
              .map((named, index) => (
                <GuardedButton
                  key={named.name}
                  resource={named.object}
                  action={named.verb}
                  record={row}
                  type={index === 0 && named.action.danger !== true ? 'primary' : 'default'}
                  danger={named.action.danger === true}
                  icon={actionIcon(named.action)}
                  onClick={() => runner.run(named, [row])}
                >
                  {targetWords.action(named.name)}
                </GuardedButton>
              ))}
          </div>
        </div>
      ))}
      {runner.dialog}
    </section>
  )
}
