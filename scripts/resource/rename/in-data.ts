import type { Definition } from '@/resource/language/definition.generated'
import { literal } from '../migration/sql'
import type { Renames } from './renames'

/** Rows of the console's own tables that keep the name of a resource, a table or an address as text. */
function resourceData({ resource, route, tables, columns, objects }: Renames): string[] {
  if (!resource) return []
  // Comments of a kind with lines of its own are logged under its object.
  const statements = [...new Map([...tables, ...objects])].map(
    ([from, to]) =>
      `update public.audit_log set table_name = ${literal(to)} where table_name = ${literal(from)};`,
  )
  // The call of app.keep_files() with the new name writes the rows of app.file_fields again.
  for (const [from, to] of tables)
    statements.push(
      `update public.files set resource = ${literal(to)} where resource = ${literal(from)};`,
      `delete from app.file_fields where resource = ${literal(from)};`,
    )
  // How a bulk edit is undone names the table between and its columns.
  for (const [from, to] of [...tables, ...[...columns.values()].flatMap((names) => [...names])])
    statements.push(
      `update app.bulk_change set links = replace(links::text, ${literal(`"${from}"`)}, ${literal(`"${to}"`)})::jsonb
  where links::text like ${literal(`%"${from}"%`)};`,
    )
  for (const table of ['public.saved_views', 'public.list_preferences', 'app.bulk_change'])
    statements.push(
      `update ${table} set resource = ${literal(resource.to)} where resource = ${literal(resource.from)};`,
    )
  if (route)
    statements.push(
      `update public.notifications set link = ${literal(route.to)} || substr(link, ${route.from.length + 1})
  where link ~ ${literal(`^${route.from}($|[/?])`)};`,
    )
  return statements
}

/** An address writes a comma as %2C, a colon as %3A and a double quote as %22. */
function inQuery(expression: string, from: string, to: string): string {
  const patterns: [string, string][] = [
    [`(^|&)${from}=`, `\\1${to}=`],
    [`(?<=(?:^|&)(?:columns|sort)=(?:[^&]*%2C)?-?)${from}(?=%3A|%2C|&|$)`, to],
    [`%22${from}%22%3A`, `%22${to}%22%3A`],
  ]
  return patterns.reduce(
    (inner, [pattern, next]) => `regexp_replace(${inner}, ${literal(pattern)}, ${literal(next)}, 'g')`,
    expression,
  )
}

/** Saved lists of a resource: their filters, columns and order. */
function listData(resource: string, from: string, to: string): string[] {
  const named = literal(resource)
  return [
    `update public.saved_views set state = jsonb_set(state, '{query}', to_jsonb(${inQuery(`state ->> 'query'`, from, to)}))
  where resource = ${named} and state ->> 'query' like ${literal(`%${from}%`)};`,
    `update public.list_preferences set columns = (
    select jsonb_agg(case when c.item ->> 'field' = ${literal(from)} then jsonb_set(c.item, '{field}', ${literal(JSON.stringify(to))}) else c.item end order by c.place)
    from jsonb_array_elements(columns) with ordinality as c (item, place))
  where resource = ${named} and columns @> ${literal(JSON.stringify([{ field: from }]))};`,
  ]
}

function fieldData({ field, columns }: Renames, definitions: readonly Definition[]): string[] {
  if (!field) return []
  const { from, to, table, resources } = field
  const statements = resources.flatMap((resource) => listData(resource, from, to))
  // Lists of others show and filter by `relation.field`, and by the renamed relation's own fields.
  for (const { name, fields } of definitions)
    for (const [relation, other] of Object.entries(fields)) {
      if (!('to' in other)) continue
      const isRenamed = relation === from && resources.includes(name)
      const next = isRenamed ? to : relation
      if (resources.includes(other.to))
        statements.push(...listData(name, `${relation}.${from}`, `${next}.${to}`))
      if (!isRenamed) continue
      const target = definitions.find((each) => each.name === other.to)
      for (const inner of Object.keys(target?.fields ?? {}))
        if (!(resources.includes(other.to) && inner === from))
          statements.push(...listData(name, `${relation}.${inner}`, `${to}.${inner}`))
    }
  for (const [old, next] of columns.get(table) ?? []) {
    const key = literal(old)
    const moved = (column: string) =>
      `${column} - ${key} || jsonb_build_object(${literal(next)}, ${column} -> ${key})`
    statements.push(
      `update public.files set field = ${literal(next)} where resource = ${literal(table)} and field = ${key};`,
      `delete from app.file_fields where resource = ${literal(table)} and field = ${key};`,
      `update public.audit_log set changes = ${moved('changes')} where table_name = ${literal(table)} and changes ? ${key};`,
      ...['before', 'after'].map(
        (column) =>
          `update app.bulk_change set ${column} = ${moved(column)} where resource in (${resources.map(literal).join(', ')}) and ${column} ? ${key};`,
      ),
    )
  }
  return statements
}

/** Returns the statements that put the new names into rows. Rows of the resource itself stay as they are. */
export function renameInData(renames: Renames, definitions: readonly Definition[]): string[] {
  return [...new Set([...resourceData(renames), ...fieldData(renames, definitions)])]
}
