import { dependents, isSameFrame } from './depend'
import type { Kind, Model, SchemaObject } from './objects'
import type { Problem } from './parse'
import { alterColumn, commentOff, dropStatement, make, remake, renewGrants } from './render'
import { heldBack, strayOf, undecided, undecidedChange, undecidedLoss } from './undecided'

export interface Difference {
  /** Statements of the migration, in the order in which they work. */
  statements: string[]
  problems: Problem[]
  /** The objects that differ, for `--check`. */
  found: SchemaObject[]
  /** The objects that only a migration has, and that the statements drop. */
  gone: SchemaObject[]
}

export const isSame = (one: SchemaObject, other: SchemaObject): boolean =>
  one.print === other.print && JSON.stringify(printable(one)) === JSON.stringify(printable(other))

/** The facts of a column that are compared: its default is compared as it is parsed, not as it is written. */
const printable = ({ column }: SchemaObject) => (column ? { ...column, valueText: '', typeText: '' } : null)

/** Kinds that a migration may drop and make again: nothing is lost with them. */
const FREE: readonly Kind[] = ['policy', 'trigger', 'index', 'constraint', 'view', 'function']

/** Whether this change needs the object dropped first. */
function needsDrop(now: SchemaObject, then: SchemaObject): boolean {
  if (now.kind === 'function') return !isSameFrame(now, then)
  if (now.kind === 'view') {
    const [columns, old] = [now.columns, then.columns]
    return !columns || !old || old.some((name, index) => columns[index] !== name)
  }
  if (now.kind === 'trigger') return /\bcreate constraint trigger\b/i.test(now.text + then.text)
  return ['policy', 'index', 'constraint'].includes(now.kind)
}

interface Leaving {
  found: Map<string, SchemaObject>
  problems: Problem[]
}

/** Finds the objects to drop first: those that are gone, those that are made again, and their dependents. */
function leaving(wanted: Model, made: Model): Leaving {
  const found = new Map<string, SchemaObject>()
  const problems: Problem[] = []
  const add = (object: SchemaObject, cause?: SchemaObject) => {
    if (cause && object.kind === 'column')
      problems.push(heldBack(wanted.get(object.identity) ?? object, cause))
    if (found.has(object.identity) || !FREE.includes(object.kind)) return
    found.set(object.identity, object)
    if (object.kind !== 'function' && object.kind !== 'view') return
    for (const each of dependents(made, object)) add(each, object)
  }
  for (const object of made.objects.values()) {
    const now = wanted.get(object.identity)
    if (now ? !isSame(now, object) && needsDrop(now, object) : object.kind !== 'view') add(object)
  }
  return { found, problems }
}

const RANK: Kind[] = ['policy', 'trigger', 'index', 'constraint']

const rank = ({ kind }: SchemaObject) => (RANK.includes(kind) ? RANK.indexOf(kind) : RANK.length)

/** Whether an object disappears together with its owner, so that it needs no statement. */
function followsOwner(
  { owner }: SchemaObject,
  wanted: Model,
  dropped: ReadonlyMap<string, unknown>,
): boolean {
  return owner !== undefined && (dropped.has(owner) || !(wanted.get(owner) || isSchema(owner)))
}

/** Owners that no statement here has to make, such as the schema `public`. */
const isSchema = (owner: string) => owner.startsWith('schema ') || owner.startsWith('extension ')

/** A function with other arguments takes the place of one with its name. */
const nameOf = ({ kind, identity }: SchemaObject) =>
  kind === 'function' ? identity.replace(/\(.*$/, '') : identity

/** The statements that drop objects which only the migrations make, and those that are made again. */
function removals(wanted: Model, made: Model, dropped: ReadonlyMap<string, SchemaObject>): Difference {
  const gone = [...made.objects.values()].filter((each) => !wanted.get(each.identity))
  const own = gone.filter((each) => !followsOwner(each, wanted, dropped))
  const problems = own.flatMap((each) => undecidedLoss(each, wanted) ?? [])
  const drops = [...dropped.values()]
    .filter((each) => !followsOwner(each, wanted, dropped))
    .reverse()
    .sort((a, b) => rank(a) - rank(b))
    .map(dropStatement)
  const quiet = own.flatMap((each) => {
    if (each.kind === 'comment') return commentOff(each)
    return each.kind === 'grants' && each.print !== '' ? renewGrants(undefined, each) : []
  })
  const found = own.filter(
    (each) =>
      FREE.includes(each.kind) || each.kind === 'comment' || (each.kind === 'grants' && each.print !== ''),
  )
  const names = new Set([...wanted.objects.values()].map(nameOf))
  const lost = own.filter((each) => FREE.includes(each.kind) && !names.has(nameOf(each)))
  return { statements: [...drops, ...quiet], problems, found, gone: lost }
}

/** The statements for an object of the schemas, in their order. */
function arrivals(wanted: Model, made: Model, dropped: ReadonlyMap<string, SchemaObject>): Difference {
  const statements: string[] = []
  const problems: Problem[] = []
  const found: SchemaObject[] = []
  const isNew = new Set<string>()
  for (const now of wanted.objects.values()) {
    const then = made.get(now.identity)
    const isAgain = dropped.has(now.identity) || (now.owner !== undefined && dropped.has(now.owner))
    const isWithOwner = now.owner !== undefined && isNew.has(now.owner)
    if (!then || isAgain || isWithOwner) {
      isNew.add(now.identity)
      if (!then || !isSame(now, then)) found.push(now)
      if (isWithOwner && now.isInside) continue
      const problem = strayOf(now, wanted) ?? (then ? undefined : undecided(now, isWithOwner, made))
      if (problem) problems.push(problem)
      // A statement of many rows or objects is the text of each, and is written once.
      else if (!statements.includes(make(now))) statements.push(make(now))
      continue
    }
    if (isSame(now, then)) continue
    found.push(now)
    const problem = undecidedChange(now, then)
    if (problem) problems.push(problem)
    else if (now.kind === 'column') statements.push(...alterColumn(now, then))
    else if (now.kind === 'grants') statements.push(...renewGrants(now, then))
    else statements.push(remake(now))
  }
  return { statements, problems, found, gone: [] }
}

/**
 * Compares the two sides. The statements take a database from the migrations to the schemas; they are incomplete while
 * there are problems.
 */
export function difference(wanted: Model, migrated: Model): Difference {
  const tables = new Set(
    [...wanted.objects.values()].flatMap(({ kind, owner }) => (kind === 'row' ? [owner] : [])),
  )
  const made = migrated.without(({ kind, owner }) => kind === 'row' && !tables.has(owner))
  const { found: dropped, problems } = leaving(wanted, made)
  const gone = removals(wanted, made, dropped)
  const come = arrivals(wanted, made, dropped)
  return {
    statements: [...gone.statements, ...come.statements],
    problems: [...problems, ...gone.problems, ...come.problems],
    found: [...gone.found, ...come.found],
    gone: gone.gone,
  }
}
