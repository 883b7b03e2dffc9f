import type { Database } from '@/data/database.types'

type Public = Database['public']

/** A row of a table, as the generated types have it. */
export type TableRow<Name extends keyof Public['Tables']> = Public['Tables'][Name]['Row']

/** The arguments of a database function. */
export type FunctionArgs<Name extends keyof Public['Functions']> = Public['Functions'][Name]['Args']
