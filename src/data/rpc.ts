import { supabase } from '@/data/client'
import { toDataError } from '@/data/errors'

/**
 * Calls a database function and gives its result; throws a DataError. The caller names the shape:
 * a function's return type is part of its contract, as a table's columns are.
 */
export async function callRpc<Result = unknown>(
  name: string,
  args: Record<string, unknown> = {},
): Promise<Result> {
  const { data, error, status } = await supabase.rpc(name, args)
  if (error) throw toDataError(error, status)
  return data as Result
}
