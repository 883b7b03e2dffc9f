import type {
  Constraint,
  FunctionParameter,
  Node,
  ObjectWithArgs,
  RangeVar,
  RoleSpec,
  TypeName,
} from 'libpg-query'
import { find, print } from './parse'

const MAX_NAME = 63

export const words = (nodes: readonly Node[] | undefined): string[] =>
  (nodes ?? []).flatMap((node) => ('String' in node ? [node.String.sval ?? ''] : []))

export const relationName = ({ schemaname, relname }: RangeVar = {}): string =>
  `${schemaname ?? 'public'}.${relname}`

export const bareName = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

export function typeName(type: TypeName = {}): string {
  const names = words(type.names)
  // A statement may leave out the schemas that every name is looked up in.
  const base = (['pg_catalog', 'public'].includes(names[0] ?? '') ? names.slice(1) : names).join('.')
  return base + (type.arrayBounds?.length ? '[]' : '')
}

export const isOutput = ({ mode }: FunctionParameter): boolean =>
  mode === 'FUNC_PARAM_OUT' || mode === 'FUNC_PARAM_TABLE'

/** `app.can(text, text)`: a function is known by its name and the types of its input arguments. */
export function signature(
  name: readonly Node[] | undefined,
  types: readonly (TypeName | undefined)[],
): string {
  return `${words(name).join('.')}(${types.map((type) => typeName(type)).join(', ')})`
}

export function parameters(nodes: readonly Node[] | undefined): FunctionParameter[] {
  return (nodes ?? []).flatMap((node) => ('FunctionParameter' in node ? [node.FunctionParameter] : []))
}

export function calledName({ objname, objargs }: ObjectWithArgs): string {
  return signature(
    objname,
    (objargs ?? []).flatMap((node) => ('TypeName' in node ? [node.TypeName] : [])),
  )
}

export const roleName = ({ roletype, rolename }: RoleSpec): string =>
  roletype === 'ROLESPEC_PUBLIC' ? 'public' : (rolename ?? '')

/** A name that PostgreSQL makes of parts: the longer part is cut first. */
function madeName(table: string, addition: string, label: string): string {
  const room = MAX_NAME - label.length - 1 - (addition ? 1 : 0)
  let [first, second] = [table, addition]
  while (first.length + second.length > room)
    if (first.length > second.length) first = first.slice(0, -1)
    else second = second.slice(0, -1)
  return [first, second, label].filter(Boolean).join('_')
}

const LABELS: Partial<Record<NonNullable<Constraint['contype']>, string>> = {
  CONSTR_CHECK: 'check',
  CONSTR_FOREIGN: 'fkey',
  CONSTR_PRIMARY: 'pkey',
  CONSTR_UNIQUE: 'key',
  CONSTR_EXCLUSION: 'excl',
}

/** The columns that a check, key or foreign key is about. */
export function constraintColumns(constraint: Constraint): string[] {
  const named = words(constraint.fk_attrs ?? constraint.keys)
  const asked = find<{ fields?: Node[] }>(constraint.raw_expr, 'ColumnRef').map(
    ({ fields }) => words(fields).at(-1) ?? '',
  )
  return [...new Set([...named, ...asked])]
}

/** The name that a constraint has, or that PostgreSQL gives it. */
export function constraintName(
  table: string,
  constraint: Constraint,
  isTaken: (name: string) => boolean,
): string {
  if (constraint.conname) return constraint.conname
  const columns = constraintColumns(constraint)
  const isCheck = constraint.contype === 'CONSTR_CHECK'
  const isPrimary = constraint.contype === 'CONSTR_PRIMARY'
  const addition = isPrimary || (isCheck && columns.length !== 1) ? '' : columns.join('_')
  const label = LABELS[constraint.contype ?? 'CONSTR_CHECK'] ?? 'check'
  for (let count = 0; ; count++) {
    const name = madeName(bareName(table), addition, count === 0 ? label : `${label}${count}`)
    if (!isTaken(name)) return name
  }
}

/** Prints a constraint: the same text beside its column or below the columns, with or without a name. */
export function constraintPrint(constraint: Constraint): string {
  const { conname, skip_validation, initially_valid, fk_matchtype, ...rest } = constraint
  void [conname, skip_validation, initially_valid, fk_matchtype]
  return print(Object.fromEntries(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))))
}
