import { supabase } from '@/data/client'
import { toDataError } from '@/data/errors'

/**
 * Calls a database function and returns its result; throws a DataError. The caller declares the result's
 * type, which is part of the function's contract, like a table's columns.
 */
export async function callRpc<Result = unknown>(
  name: string,
  args: Record<string, unknown> = {},
): Promise<Result> {
  const { data, error, status } = await supabase.rpc(name, args)
  if (error) throw toDataError(error, status)
  return data as Result
}
