import type { AlterTableCmd, AlterTableStmt, DropStmt, Node } from 'libpg-query'
import { grantsOf, nameIn } from './grants'
import { addColumn, addConstraint, columnIdentity, constraintIdentity, splitList } from './items'
import { constraintColumns, relationName, words } from './names'
import { type Model, type SchemaObject, tableOf } from './objects'
import { find, print, SchemaError, type Statement } from './parse'

function refuse({ file, line }: Statement, text: string): never {
  throw new SchemaError({ file, line, text })
}

/** The parts of `alter table … add …, add …`, each without its verb. */
function alterParts(text: string): { lead: string; parts: string[] } {
  const [head = ''] = /^(?:--[^\n]*\n)*\s*alter table (?:if exists )?(?:only )?[\w."]+\s+/i.exec(text) ?? []
  const lead = /^(?:--[^\n]*\n)*/.exec(head)?.[0] ?? ''
  const parts = splitList(text.slice(head.length)).map((part) =>
    part.trim().replace(/^add\s+(?:column\s+)?(?:if not exists\s+)?/i, ''),
  )
  return { lead, parts }
}

function changeColumn(
  model: Model,
  table: string,
  cmd: AlterTableCmd,
  text: string,
  statement: Statement,
): void {
  const object = model.get(columnIdentity(table, cmd.name ?? ''))
  if (!object?.column)
    refuse(statement, `no column ${cmd.name} of ${table} was made before. Write its name as it is there.`)
  const facts = { ...object.column }
  if (cmd.subtype === 'AT_SetNotNull') facts.isRequired = true
  else if (cmd.subtype === 'AT_DropNotNull') facts.isRequired = false
  else if (cmd.subtype === 'AT_ColumnDefault') {
    facts.value = print(cmd.def) ?? ''
    facts.valueText = /\bset\s+default\s+([\s\S]+)$/i.exec(text)?.[1]?.trim() ?? ''
  } else if (cmd.subtype === 'AT_DropExpression') facts.generated = ''
  else {
    const type = cmd.def && 'ColumnDef' in cmd.def ? cmd.def.ColumnDef : {}
    facts.type = print([type.typeName, type.collClause?.collname])
    facts.typeText = /\btype\s+([\s\S]+?)(?:\s+using\b[\s\S]*)?$/i.exec(text)?.[1]?.trim() ?? ''
  }
  model.set({ ...object, column: facts })
}

/** PostgreSQL drops the constraints, indexes and grants of a column with it. */
function dropColumn(model: Model, table: string, name: string): void {
  model.remove(columnIdentity(table, name))
  const grants = model.get(`grants on table ${table}`)
  const kept = [...(grants?.privileges ?? [])].filter((pair) => !pair.includes(`(${name})`))
  if (grants) model.set({ ...grants, ...grantsOf(new Set(kept)) })
  for (const each of model.ownedBy(`table ${table}`)) {
    const named = each.kind === 'constraint' ? constraintColumns(each.node as object) : indexColumns(each)
    if (named.includes(name)) model.remove(each.identity)
  }
}

function indexColumns({ kind, node }: SchemaObject): string[] {
  if (kind !== 'index') return []
  const elements = find<{ name?: string }>(node, 'IndexElem').flatMap(({ name = '' }) => name)
  const asked = find<{ fields?: Node[] }>(node, 'ColumnRef').flatMap(({ fields }) => words(fields).slice(-1))
  return [...elements, ...asked]
}

const IGNORED: readonly AlterTableCmd['subtype'][] = [
  'AT_ValidateConstraint',
  'AT_DisableTrigUser',
  'AT_EnableTrigUser',
  'AT_DisableTrig',
  'AT_EnableTrig',
  'AT_DisableTrigAll',
  'AT_EnableTrigAll',
  'AT_SetStatistics',
]

const CHANGES: readonly AlterTableCmd['subtype'][] = [
  'AT_SetNotNull',
  'AT_DropNotNull',
  'AT_ColumnDefault',
  'AT_AlterColumnType',
  'AT_DropExpression',
]

function alter(model: Model, table: string, cmd: AlterTableCmd, text: string, statement: Statement): void {
  const { file, line } = statement
  const item = { table, text, place: { file, line }, isInside: false }
  const { subtype, def, name = '' } = cmd
  if (subtype === 'AT_AddColumn' && def && 'ColumnDef' in def) {
    if (!(cmd.missing_ok && model.get(columnIdentity(table, def.ColumnDef.colname ?? ''))))
      addColumn(model, def.ColumnDef, item, statement)
  } else if (subtype === 'AT_AddConstraint' && def && 'Constraint' in def)
    addConstraint(model, def.Constraint, item)
  else if (subtype === 'AT_DropColumn') dropColumn(model, table, name)
  else if (subtype === 'AT_DropConstraint') {
    if (!model.remove(constraintIdentity(table, name)) && !cmd.missing_ok)
      refuse(statement, `no constraint ${name} of ${table} was made before. Write its name as it is there.`)
  } else if (subtype === 'AT_EnableRowSecurity') {
    const identity = `row security of ${table}`
    model.set({
      kind: 'row security',
      identity,
      owner: `table ${table}`,
      print: '',
      text: statement.text,
      file,
      line,
    })
  } else if (subtype === 'AT_DisableRowSecurity') model.remove(`row security of ${table}`)
  else if (CHANGES.includes(subtype)) changeColumn(model, table, cmd, text, statement)
  else if (!IGNORED.includes(subtype))
    refuse(
      statement,
      `this alteration of ${table} cannot be compared (${subtype}). Write it as columns and constraints.`,
    )
}

export function alterTable(model: Model, node: AlterTableStmt, statement: Statement): void {
  const table = relationName(node.relation)
  const { lead, parts } = alterParts(statement.text)
  for (const [index, each] of (node.cmds ?? []).entries()) {
    const cmd = 'AlterTableCmd' in each ? each.AlterTableCmd : {}
    alter(model, table, cmd, (index === 0 ? lead : '') + (parts[index] ?? ''), statement)
  }
}

/** The last words of the names of the triggers that a call of a `keep_` function makes. */
const KEPT: Record<string, string[]> = {
  keep_tenant: ['touch', 'immutable_tenant', 'permission'],
  keep_audit: ['audit_insert', 'audit_update', 'audit_delete'],
  keep_announced: ['announce_insert', 'announce_update', 'announce_delete'],
  keep_files: ['files_gone'],
  keep_trash: ['trash'],
}

/** The column without which a call makes no such trigger. */
const NEEDED: Record<string, string> = { touch: 'updated_at', immutable_tenant: 'company_id' }

/** A trigger that no statement made is from a `keep_` call; when all of its triggers are gone, so is the call. */
function dropTrigger(model: Model, name: string, table: string, statement: Statement): void {
  const known = model.get(`trigger ${name} on ${table}`)
  if (known) model.remove(known.identity)
  if (known && !known.isOverride) return
  const [, hidden] = /_zz_hide_(\w+)$/.exec(name) ?? []
  if (hidden && model.remove(`keep_hidden_${hidden} of ${table}`)) return
  // The trigger of a field with a file is the call's own: the call that follows makes those of the other fields.
  if (name.startsWith(`${table.slice(table.indexOf('.') + 1)}_file_`) && model.get(`keep_files of ${table}`))
    return
  const { text, file, line } = statement
  const identity = (trigger: string) => `dropped trigger ${trigger} on ${table}`
  model.set({
    kind: 'dropped trigger',
    identity: identity(name),
    owner: `table ${table}`,
    print: '',
    text,
    file,
    line,
  })
  for (const [keep, ends] of Object.entries(KEPT)) {
    const made = ends.filter((end) => {
      const column = NEEDED[end]
      return column === undefined || model.get(columnIdentity(table, column))
    })
    const gone = made.map((end) => identity(`${table.slice(table.indexOf('.') + 1)}_${end}`))
    if (!gone.every((each) => model.get(each))) continue
    model.remove(`${keep} of ${table}`)
    for (const each of gone) model.remove(each)
  }
}

function dropFunction(model: Model, name: string, isCascade: boolean): void {
  const searched = /^public\.search_(\w+)\(text\)$/.exec(name)?.[1]
  if (!model.remove(`function ${name}`) && searched) {
    model.remove(`keep_search of public.${searched}`)
    model.remove(`keep_hidden_search of public.${searched}`)
  }
  // A function that a `keep_` call made is no object here; grants on it are.
  for (const each of model.ownedBy(`function ${name}`)) model.remove(each.identity)
  if (!isCascade) return
  for (const object of [...model.objects.values()]) {
    const called = find<Node[]>(object.node, 'funcname').map((each) => words(each).join('.'))
    if (object.kind === 'trigger' && called.includes(name.slice(0, name.indexOf('('))))
      model.remove(object.identity)
  }
}

/** Foreign keys of other tables go with a table that is dropped with `cascade`. */
function dropRelation(model: Model, name: string, isCascade: boolean): void {
  model.remove(`table ${name}`) || model.remove(`view ${name}`)
  if (!isCascade) return
  for (const object of [...model.objects.values()])
    if (object.kind === 'constraint' && tableOf(object) !== name) {
      const { pktable } = object.node as { pktable?: Parameters<typeof relationName>[0] }
      if (pktable && relationName(pktable) === name) model.remove(object.identity)
    }
}

const CONTAINERS: Partial<Record<NonNullable<DropStmt['removeType']>, string>> = {
  OBJECT_SCHEMA: 'schema',
  OBJECT_EXTENSION: 'extension',
  OBJECT_TYPE: 'type',
  OBJECT_DOMAIN: 'type',
  OBJECT_SEQUENCE: 'sequence',
}

export function drop(model: Model, node: DropStmt, statement: Statement): void {
  const isCascade = node.behavior === 'DROP_CASCADE'
  for (const each of node.objects ?? []) {
    const names = namesOf(each)
    const last = names.at(-1) ?? ''
    const table = names.slice(0, -1).join('.')
    const container = CONTAINERS[node.removeType ?? 'OBJECT_TABLE']
    if ('ObjectWithArgs' in each) dropFunction(model, nameIn(model, each.ObjectWithArgs), isCascade)
    else if (node.removeType === 'OBJECT_TABLE' || node.removeType === 'OBJECT_VIEW')
      dropRelation(model, names.join('.'), isCascade)
    else if (node.removeType === 'OBJECT_TRIGGER') dropTrigger(model, last, table, statement)
    else if (node.removeType === 'OBJECT_POLICY') model.remove(`policy ${last} on ${table}`)
    else if (node.removeType === 'OBJECT_INDEX') {
      const start = `index ${last} on ${table || 'public'}.`
      for (const identity of [...model.objects.keys()]) if (identity.startsWith(start)) model.remove(identity)
    } else if (container) model.remove(`${container} ${names.join('.')}`)
    else refuse(statement, `this removal cannot be compared (${node.removeType}). Take it out.`)
  }
}

function namesOf(node: Node): string[] {
  if ('List' in node) return words(node.List.items)
  if ('TypeName' in node) return words(node.TypeName.names)
  return words([node])
}
