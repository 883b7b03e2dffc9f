import type { Database } from '@/data/database.types'
import type { Values } from '../support/as-user'

export type TableName = keyof Database['public']['Tables']
export type Command = 'select' | 'insert' | 'update' | 'delete'

/** A row of every table of a company, by table name, with the ids a test needs beside them. */
export type Company = {
  id: string
  memberId: string
  newcomerId: string
  empty: string
  rows: Record<string, Values>
}

export interface Verb {
  object: string
  verb: string
}

/**
 * The access to a table, said once. A command that is not named is granted to nobody.
 * The role's lines decide; `reach` says on which rows.
 */
export interface TableAccess {
  commands: Partial<Record<Command, Verb | 'anyone' | 'own company' | 'self'>>
  /** The row that exists in every company. */
  row: (company: Company) => Values
  insert?: (company: Company) => Values
  update?: Values
  key?: (row: Values) => Values
  /** Rows that only somebody who sees all companies reaches. */
  platformOnly?: Command[]
  /** Rows of the platform and of no company: whoever may read them reaches all. */
  isShared?: boolean
  /** The permission without which somebody reaches only rows of their own, which none of these are. */
  foreign?: Verb
  /** Whether a new row also needs a record that the caller reaches: without `foreign` it has none. */
  isOfRecord?: true
  /** Commands that reach rows of their author alone, which none of the actors is, or of everybody with this permission. */
  byAuthor?: Partial<Record<Command, Verb | 'nobody'>>
  /** A command that finds the rows of records on which the actor may do this, and no others. */
  perRecord?: Partial<Record<Command, Verb>>
  /** A deleted row stays, marked, and the statement finds none. */
  hasTrash?: true
  /** Deletes aim at this key instead, where the row itself is held by others. */
  deleteKey?: (company: Company) => Values
}

export const full = (object: string): TableAccess['commands'] => ({
  select: { object, verb: 'list' },
  insert: { object, verb: 'create' },
  update: { object, verb: 'edit' },
  delete: { object, verb: 'delete' },
})
/** A thread: its comments are read with the record, written with the verb `comment`, and removed with the right to delete the record. */
export const threadOn = (object: string): Pick<TableAccess, 'commands' | 'byAuthor' | 'isOfRecord'> => ({
  commands: {
    select: { object, verb: 'list' },
    insert: { object, verb: 'comment' },
    update: { object, verb: 'comment' },
    delete: { object, verb: 'comment' },
  },
  byAuthor: { update: 'nobody', delete: { object, verb: 'delete' } },
  isOfRecord: true,
})
export const readOnly = (object: string): TableAccess['commands'] => ({ select: { object, verb: 'list' } })
/** A table between two records: writing it is editing the one it belongs to. */
export const linkOf = (table: string, owner: string): TableAccess['commands'] => ({
  select: { object: table, verb: 'list' },
  insert: { object: owner, verb: 'edit' },
  delete: { object: owner, verb: 'edit' },
})
export const idOf = (company: Company, table: string): unknown => company.rows[table]?.id
/** The text of a script, in a procedure and in each of its versions. */
export const script = { type: 'Bash', script: 'hostname' }

export type AreaAccess = Partial<Record<TableName, TableAccess>>
