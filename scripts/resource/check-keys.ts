import { refusesDeletion, sharesTarget, targetOf } from '@/resource/fields/related-field'
import type { Field } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import type { CatalogTable } from '../../supabase/embedded/catalog'
import type { DatabaseInspection } from './database-inspection'
import { deleteRuleOf, hasIndex } from './migration/compare'
import { givenRule } from './migration/plan'

/** The foreign key of a relation: to the right table, within the company, with the rule of the definition, indexed. */
export function inspectRelation(
  inspection: DatabaseInspection,
  table: CatalogTable,
  name: string,
  to: string,
): void {
  const pointer = `/fields/${name}/to`
  const target = inspection.context.find(to)
  const targetTable = target ? inspection.table(pointer, tableOf(target)) : null
  if (!targetTable || table.isView || targetTable.isView) return
  const keys = table.keys.filter(({ columns }) => columns.includes(name))
  const own = table.columns.find((column) => column.name === name)
  const id = targetTable.columns.find((column) => column.name === 'id')
  if (own && id && own.type !== id.type) {
    inspection.add(
      pointer,
      `\`${name}\` is \`${own.sqlType}\`, and the records of \`${to}\` have keys of type \`${id.sqlType}\``,
      'Choose another name for a new column, or another kind of field.',
    )
    return
  }
  const key = keys.find((each) => each.target === targetTable.name)
  if (!key) {
    const other = keys[0]
    inspection.add(
      pointer,
      other
        ? `\`${name}\` is a key to \`${other.target}\`, not to \`${targetTable.name}\``
        : `\`${name}\` has no foreign key to \`${targetTable.name}\``,
      inspection.migrate,
    )
    return
  }
  const isTenant = (each: CatalogTable) =>
    each.columns.some((column) => column.name === 'company_id' && column.isRequired)
  if (!table.columns.some((column) => column.name === 'company_id') && isTenant(targetTable))
    inspection.add(
      pointer,
      `rows of \`${table.name}\` belong to no company, and each of \`${targetTable.name}\` to one: other companies would see the reference`,
      'Remove the relation, or give the table a `company_id`.',
    )
  if (isTenant(table) && isTenant(targetTable) && !key.columns.includes('company_id'))
    inspection.add(
      pointer,
      `the foreign key of \`${name}\` is plain: it is checked past row-level security and may point into another company`,
      `Make it \`foreign key (company_id, ${name}) references public.${targetTable.name} (company_id, id)\`.`,
    )
  const keyName = `${table.name}_${name}_fkey`.slice(0, 63)
  const isComposite = key.columns.includes('company_id')
  const isNamed = keys.some((each) => each.name === keyName && each.columns[0] === name)
  if (isComposite && sharesTarget(inspection.definition, name, inspection.context.find) && !isNamed)
    inspection.add(
      pointer,
      `another field points to \`${to}\` too, so the key of \`${name}\` has to be named \`${keyName}\` and begin with \`${name}\``,
      inspection.migrate,
    )
  const given = givenRule(inspection.definition.fields[name])
  if (given && !keys.some((each) => deleteRuleOf(each) === given))
    inspection.add(
      `/fields/${name}/on_delete`,
      `in the database the key of \`${name}\` does something else when a record of \`${to}\` is deleted`,
      inspection.migrate,
    )
  const isRefused = keys.some((each) => deleteRuleOf(each) === 'refuse')
  const field = inspection.definition.fields[name]
  // A company is never deleted while it has records.
  if (!given && name !== 'company_id' && field && isRefused !== refusesDeletion(field))
    inspection.add(
      pointer,
      `a record of \`${to}\` ${isRefused ? 'cannot' : 'can'} be deleted while \`${name}\` points at it, and the definition says otherwise`,
      'Say so with `on_delete`.',
    )
  const indexed = isComposite && key.columns[0] === name ? ['company_id', name] : key.columns
  if (!hasIndex(table, indexed) && !hasIndex(table, [name]))
    inspection.add(
      pointer,
      `no index of \`${table.name}\` begins with (${indexed.join(', ')})`,
      inspection.migrate,
    )
}

/** Neither PostgREST nor the embedded backend can be asked for a record through a view, unless a key behind it is named. */
export function inspectViewRelation(
  inspection: DatabaseInspection,
  table: CatalogTable,
  name: string,
  field: Field,
): void {
  const { definition } = inspection
  if (!table.isView || field.from || targetOf(field) === null || ('constraint' in field && field.constraint))
    return
  if (!definition.view)
    inspection.add(
      `/fields/${name}`,
      `\`${table.name}\` is a view, which has no foreign key by which the record of \`${name}\` could be read`,
      'Write `"view": true` in the definition: such records are read by a request of their own.',
    )
}
