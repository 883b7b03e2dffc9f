import { CheckError, DuplicateError, LinkError } from '@/data/errors'

/** The field a refused write is about, as far as the database named a column. */
export function columnOfError(error: unknown): string | undefined {
  if (error instanceof CheckError || error instanceof DuplicateError || error instanceof LinkError)
    return error.column
  return undefined
}
