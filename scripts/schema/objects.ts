import type { Place, Statement } from './parse'

export type Kind =
  | 'table'
  | 'column'
  | 'constraint'
  | 'index'
  | 'view'
  | 'function'
  | 'trigger'
  | 'dropped trigger'
  | 'policy'
  | 'row security'
  | 'keep'
  | 'comment'
  | 'grants'
  | 'row'
  /** A schema, an extension, a type or a sequence. */
  | 'container'
  | 'default privileges'
  /** A statement that makes no object that can be named, such as a block of code. */
  | 'statement'

/** Facts of a column that can be altered apart, each as `print` gives it; empty where there is none. */
export interface ColumnFacts {
  type: string
  /** The type as it is written. */
  typeText: string
  value: string
  /** The text of the default, to be written into a migration. */
  valueText: string
  isRequired: boolean
  /** How the column is generated, or its identity. */
  generated: string
}

export interface SchemaObject extends Place {
  kind: Kind
  /** The kind and the name, such as `function app.can(text, text)`. */
  identity: string
  /** The identity of the object that it goes with. */
  owner?: string
  /** The parsed statement as text, without its layout: two objects with the same print are the same. */
  print: string
  text: string
  /** The parsed statement, where other objects can be mentioned in it. */
  node?: unknown
  /** Whether the text is part of the text of the owner. */
  isInside?: boolean
  column?: ColumnFacts
  /** The columns of a view; undefined where only a database knows them. */
  columns?: string[]
  /** A function's parts that `create or replace` cannot change. */
  frame?: { result: string; names: string[]; defaults: number }
  /** `role privilege` pairs. */
  privileges?: Set<string>
  /** Whether the trigger replaced one that a call of a `keep_` function made. */
  isOverride?: boolean
}

/** The objects of a database, in the order in which they are made. */
export class Model {
  readonly objects = new Map<string, SchemaObject>()
  /** The statement that is read now, where the places of objects are wanted. */
  reading: Statement | undefined
  /** The statements of the schemas that define each object. */
  readonly sources = new Map<string, Statement[]>()

  get(identity: string): SchemaObject | undefined {
    return this.objects.get(identity)
  }

  set(object: SchemaObject): void {
    this.objects.set(object.identity, object)
    if (!this.reading) return
    const known = this.sources.get(object.identity) ?? []
    if (!known.includes(this.reading)) this.sources.set(object.identity, [...known, this.reading])
  }

  ownedBy(owner: string): SchemaObject[] {
    return [...this.objects.values()].filter((each) => each.owner === owner)
  }

  /** Removes an object and all that goes with it. */
  remove(identity: string): boolean {
    if (!this.objects.delete(identity)) return false
    for (const owned of this.ownedBy(identity)) this.remove(owned.identity)
    return true
  }

  /** A copy without some objects. */
  without(isLeftOut: (object: SchemaObject) => boolean): Model {
    const copy = new Model()
    for (const object of this.objects.values()) if (!isLeftOut(object)) copy.set(object)
    return copy
  }

  /** Replaces objects in their places; identities and owners may change. */
  map(change: (object: SchemaObject) => SchemaObject): void {
    const changed = [...this.objects.values()].map(change)
    this.objects.clear()
    for (const object of changed) this.set(object)
  }
}

/** `public.groups` of an object that is on a table; empty for others. */
export const tableOf = ({ owner = '', identity }: SchemaObject): string =>
  /^(?:column|constraint|index|policy|trigger) .* (?:on|of) (\S+)$/.exec(identity)?.[1] ??
  /^(?:table|view) (\S+)$/.exec(owner)?.[1] ??
  ''

/** Kinds without a text of the schemas: rows are data, and a statement makes no object that can be named. */
export const isData = ({ kind }: SchemaObject) =>
  kind === 'row' || kind === 'statement' || kind === 'container'
