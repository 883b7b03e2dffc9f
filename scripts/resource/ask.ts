import { createInterface } from 'node:readline/promises'
import { singularOf } from '@/resource/language/naming'
import { StartError } from '../../supabase/embedded/start-error'
import { argumentTypes, FieldArgumentError, parseFieldArgument } from './field-spec'
import type { NewOptions } from './new'
import { humanize } from './words-of'

/** Asks at a terminal for what the arguments did not say. An answer that cannot be is explained and asked again. */
export async function askForResource(options: NewOptions, resources: readonly string[]): Promise<NewOptions> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const ask = async (question: string, usual: string) =>
    (await terminal.question(`${question} [${usual}]: `)).trim() || usual
  try {
    const singular = options.singular ?? singularOf({ name: options.name })
    const usual = `${humanize(singular)}/${humanize(options.name)}`
    const label = options.label ?? (await ask('One and many in English', usual))
    const labelTr = options.labelTr ?? (await ask('One and many in Turkish', usual))
    console.log(`Fields, one a line as name:type, "!" behind it when required; an empty line ends.
  Types: ${argumentTypes().join(', ')}
  Or a resource, for a relation: ${resources.join(', ')}
  serial:text!   status:enum(active,retired)   device_id:devices   cost:money(TRY)`)
    const fields: string[] = []
    for (;;) {
      const line = (await terminal.question('field: ')).trim()
      if (line === '' && fields.length > 0) break
      try {
        parseFieldArgument(line === '' ? 'name:text!' : line, { resources, resource: options.name, singular })
        fields.push(line === '' ? 'name:text!' : line)
        if (line === '') break
      } catch (error) {
        if (!(error instanceof FieldArgumentError)) throw error
        console.log(`  ${error.message}`)
      }
    }
    return { ...options, fields, label, ...(labelTr === usual ? {} : { labelTr }) }
  } finally {
    terminal.close()
  }
}

/** Only a clear yes is one. */
export async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N]: `)).trim())
  } finally {
    terminal.close()
  }
}

/**
 * Asks before something is deleted that nothing brings back; --yes skips it.
 * @throws StartError when it is not wanted, and without a terminal.
 */
export async function confirmDeletion(what: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new StartError(
      `This would be deleted for good: ${what}. Nothing was changed. Add --yes to delete it.`,
    )
  if (!(await confirm(`This will be deleted for good: ${what}. Delete it?`)))
    throw new StartError('Nothing was changed.')
}
