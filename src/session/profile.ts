import { supabase } from '@/data/client'
import { GoneError, toDataError } from '@/data/errors'

export const SHORTEST_NAME = 2
export const LONGEST_NAME = 100

export function isValidName(name: string): boolean {
  const length = Array.from(name.trim()).length
  return length >= SHORTEST_NAME && length <= LONGEST_NAME
}

/** Changes the signed-in user's own name; throws a DataError, also where no row was changed. */
export async function updateOwnName(userId: string, name: string): Promise<void> {
  const { data, error, status } = await supabase
    .from('profiles')
    .update({ name: name.trim() })
    .eq('id', userId)
    .select('id')
  if (error) throw toDataError(error, status)
  if (data.length === 0) throw new GoneError('No profile was changed.')
}
