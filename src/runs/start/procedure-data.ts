import type { TableRow } from '@/data/database'
import { type Parameter, toParameters } from './parameters'

/** A procedure with what a run of it needs. */
export type ProcedureRow = Pick<
  TableRow<'procedures'>,
  | 'id'
  | 'company_id'
  | 'name'
  | 'description'
  | 'type'
  | 'category'
  | 'timeout_seconds'
  | 'platforms'
  | 'parameters'
>
export type ProcedureChoice = Omit<ProcedureRow, 'parameters'> & { parameters: Parameter[] }

export const PROCEDURE_CHOICE =
  'id,company_id,name,description,type,category,timeout_seconds,platforms,parameters'

export const toChoice = (row: ProcedureRow): ProcedureChoice => ({
  ...row,
  parameters: toParameters(row.parameters),
})
