import { type BaseRecord, type HttpError, useMany } from '@refinedev/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useCan } from '@/access/use-can'
import { refusesDeletion, targetOf } from '@/resource/fields/related-field'
import type { Definition } from '@/resource/language/definition.generated'
import { embeddedCount } from '@/resource/language/embed-keys'
import { listOf, listPath, tableOf } from '@/resource/language/naming'
import { findDefinition, resourceEntries } from '@/resource/language/registry'
import { useResourceLabels } from '@/resource/language/words'
import { countEmbed } from '@/resource/request/query/select'
import type { ResourceScope } from '@/resource/request/query/use-scope'

/** A field of another resource that keeps its target from being deleted. */
interface Holder {
  definition: Definition
  field: string
}

interface Held extends Holder {
  count: number
}

/** The fields that keep a record of this resource from being deleted while they point at it. */
function holdersOf(definition: Definition): Holder[] {
  // The trash takes a record whatever points at it.
  if (definition.trash || definition.view) return []
  return resourceEntries().flatMap(({ definition: holder }) => {
    // No embed leads from a table to itself, or to a view.
    if (!holder || holder.view || tableOf(holder) === tableOf(definition)) return []
    return Object.entries(holder.fields)
      .filter(([, field]) => !field.from && targetOf(field) === definition.name && refusesDeletion(field))
      .map(([field]) => ({ definition: holder, field }))
  })
}

const aliasOf = (place: number) => `holder_${place}`

/**
 * The records that these cannot be deleted before, counted in one request as far as the user may see them. An answer that
 * does not come holds nothing up: the database refuses the deletion itself.
 */
export function useHolders(
  definition: Definition,
  ids: readonly string[],
  scope: ResourceScope,
): { held: Held[]; isPending: boolean } {
  const can = useCan()
  const holders = holdersOf(definition).filter((holder) => can(holder.definition.name, 'list').allowed)
  const isAsked = holders.length > 0 && ids.length > 0
  const embeds = holders.map((holder, place) =>
    countEmbed(aliasOf(place), holder.definition, holder.field, findDefinition),
  )
  const { query } = useMany<BaseRecord, HttpError>({
    resource: definition.name,
    ids: [...ids],
    meta: {
      table: tableOf(definition),
      companyId: definition.tenant === false ? null : scope.companyId,
      select: ['id', ...embeds].join(','),
    },
    errorNotification: false,
    queryOptions: { enabled: isAsked, staleTime: 0, gcTime: 0, retry: false },
  })
  const rows = query.data?.data ?? []
  const held = holders
    .map((holder, place) => ({
      ...holder,
      count: rows.reduce((sum, row) => sum + embeddedCount(row[aliasOf(place)]), 0),
    }))
    .filter(({ count }) => count > 0)
  return { held, isPending: isAsked && query.isFetching }
}

/** Says which records refer to those that were to be deleted, and leads to them. */
export function HeldText({
  held,
  ids,
  onFollow,
}: {
  held: readonly Held[]
  ids: readonly string[]
  onFollow: () => void
}) {
  const { t } = useTranslation('engine')
  const { t: trash } = useTranslation('trash')
  const can = useCan()
  const labels = useResourceLabels()
  const pathOf = ({ definition, field }: Held) => {
    const isOpen = definition.page_object === undefined || can(definition.page_object, 'list').allowed
    if (!isOpen || !listOf(definition) || !definition.fields[field]?.filter) return null
    return `${listPath(definition)}?${new URLSearchParams({ [field]: ids.join() })}`
  }
  return (
    <>
      <p>{t('action.heldNow', { count: ids.length })}</p>
      <ul>
        {held.map((each) => {
          const text = t('action.heldCount', { count: each.count, name: labels(each.definition.name).many })
          const path = pathOf(each)
          return (
            <li key={`${each.definition.name}.${each.field}`}>
              {path ? (
                <Link to={path} onClick={onFollow}>
                  {text}
                </Link>
              ) : (
                text
              )}
            </li>
          )
        })}
      </ul>
      <p>{held.some(({ definition }) => definition.trash) ? trash('heldUnseen') : t('action.heldUnseen')}</p>
    </>
  )
}
