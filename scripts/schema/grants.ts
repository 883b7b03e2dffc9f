import type { CommentStmt, GrantStmt, Node } from 'libpg-query'
import { columnIdentity, constraintIdentity } from './items'
import { calledName, relationName, roleName, words } from './names'
import type { Model, SchemaObject } from './objects'
import type { Statement } from './parse'

/** `table public.groups`, of an object of a grant or a comment. */
function identityOf(model: Model, type: string, node: Node): string | undefined {
  if ('ObjectWithArgs' in node) return `function ${nameIn(model, node.ObjectWithArgs)}`
  if ('String' in node) return `${type === 'OBJECT_EXTENSION' ? 'extension' : 'schema'} ${node.String.sval}`
  if ('RangeVar' in node) return relation(model, relationName(node.RangeVar))
  if ('TypeName' in node) return `type ${words(node.TypeName.names).join('.')}`
  const names = 'List' in node ? words(node.List.items) : []
  const last = names.at(-1) ?? ''
  const table = names.slice(0, -1).join('.')
  switch (type) {
    case 'OBJECT_TABLE':
    case 'OBJECT_VIEW':
    case 'OBJECT_SEQUENCE':
      return relation(model, names.join('.'))
    case 'OBJECT_COLUMN':
      return columnIdentity(table, last)
    case 'OBJECT_TABCONSTRAINT':
      return constraintIdentity(table, last)
    case 'OBJECT_TRIGGER':
    case 'OBJECT_POLICY':
      return `${type === 'OBJECT_TRIGGER' ? 'trigger' : 'policy'} ${last} on ${table}`
    case 'OBJECT_INDEX':
      return [...model.objects.keys()].find((each) => each.startsWith(`index ${last} on ${table}.`))
    default:
      return undefined
  }
}

function relation(model: Model, name: string): string {
  if (model.get(`view ${name}`)) return `view ${name}`
  return model.get(`sequence ${name}`) ? `sequence ${name}` : `table ${name}`
}

/** The signature of a named function; the only function of that name where the statement leaves out its arguments. */
export function nameIn(model: Model, named: Parameters<typeof calledName>[0]): string {
  if (!named.args_unspecified) return calledName(named)
  const start = `function ${words(named.objname).join('.')}(`
  const found = [...model.objects.keys()].filter((each) => each.startsWith(start))
  return found.length === 1 ? (found[0] ?? '').slice('function '.length) : calledName(named)
}

export function readComment(
  model: Model,
  node: CommentStmt,
  statement: Statement,
): { identity: string; old: SchemaObject | undefined } | undefined {
  const target = node.object && identityOf(model, node.objtype ?? '', node.object)
  if (!target) return undefined
  const identity = `comment on ${target}`
  const old = model.get(identity)
  if (!node.comment) model.remove(identity)
  else {
    const { text, file, line } = statement
    const view = `view ${/^column \S+ of (\S+)$/.exec(target)?.[1]}`
    const owner = model.get(view) ? view : target
    model.set({ kind: 'comment', identity, owner, print: node.comment, text, file, line })
  }
  return { identity, old }
}

/** Pairs of a role and a privilege; without columns the privilege is of the whole object. */
function pairs({ privileges, grantees, grant_option }: GrantStmt): string[] {
  const named = (privileges ?? []).flatMap((each) => {
    if (!('AccessPriv' in each)) return []
    const { priv_name = 'all', cols } = each.AccessPriv
    return cols ? words(cols).map((column) => `${priv_name}(${column})`) : [priv_name]
  })
  const all = named.length > 0 ? named : ['all']
  return (grantees ?? []).flatMap((each) => {
    const role = 'RoleSpec' in each ? roleName(each.RoleSpec) : ''
    return all.map((privilege) => `${role} ${privilege}${grant_option ? ' with grant option' : ''}`)
  })
}

function revoked(kept: Set<string>, pair: string): Set<string> {
  const [role, privilege] = [pair.slice(0, pair.indexOf(' ')), pair.slice(pair.indexOf(' ') + 1)]
  return new Set(
    [...kept].filter((each) => {
      if (!each.startsWith(`${role} `)) return true
      const own = each.slice(role.length + 1).replace(' with grant option', '')
      return privilege !== 'all' && own !== privilege && !own.startsWith(`${privilege}(`)
    }),
  )
}

export const grantsOf = (privileges: Set<string>) => ({
  privileges,
  print: [...privileges].sort().join(', '),
})

/** @returns false for a grant on what has no name here, such as all tables of a schema */
export function readGrant(model: Model, node: GrantStmt, statement: Statement): boolean {
  if (node.targtype !== 'ACL_TARGET_OBJECT') return false
  for (const each of node.objects ?? []) {
    const target = identityOf(model, node.objtype ?? '', each)
    if (!target) return false
    const identity = `grants on ${target}`
    const old = model.get(identity)
    let privileges = new Set(old?.privileges)
    for (const pair of pairs(node)) {
      if (node.is_grant) privileges.add(pair)
      else privileges = revoked(privileges, pair)
    }
    const { text, file, line } = statement
    model.set({
      kind: 'grants',
      identity,
      owner: target,
      ...grantsOf(privileges),
      text: old ? `${old.text};\n${text}` : text,
      file: old?.file ?? file,
      line: old?.line ?? line,
    })
  }
  return true
}
