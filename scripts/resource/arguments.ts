import { parseArgs } from 'node:util'
import { StartError } from '../../supabase/embedded/start-error'

const TEXTS = ['label', 'label-tr', 'icon', 'group', 'route', 'singular', 'layouts', 'own'] as const
const FLAGS = ['platform', 'pro', 'comments', 'attachments', 'trash', 'drop', 'keep', 'yes', 'help'] as const

type Text = (typeof TEXTS)[number]
type Flag = (typeof FLAGS)[number]

export interface CommandArguments {
  positionals: string[]
  flag: (name: Flag) => boolean
  /** The option by the name it has in code; nothing where it was not given. */
  text: (name: Text) => Record<string, string>
}

const REMEDY =
  'Options come after two dashes: npm run resource -- <command> <name> --label "One/Many". See npm run resource -- --help'

/**
 * The arguments of a command. npm takes options for itself unless `--` precedes them, and leaves them in the
 * environment: flags and `--label=…` are read from there; of `--label …` it leaves only that it was there.
 * @throws StartError with the way to write it.
 */
export function readArguments(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): CommandArguments {
  const { values, positionals } = parse(args)
  const fromNpm = (name: string) => env[`npm_config_${name.replaceAll('-', '_')}`]
  for (const name of TEXTS)
    if (values[name] === undefined && fromNpm(name) === 'true')
      throw new StartError(`npm took --${name} for itself, and its value is lost.\n    ${REMEDY}`)
  for (const name of FLAGS)
    if (!['true', 'false', '', undefined].includes(fromNpm(name)))
      throw new StartError(`--${name} takes no value with "=".\n    ${REMEDY}`)
  return {
    positionals,
    flag: (name) => values[name] === true || fromNpm(name) === 'true',
    text: (name) => {
      const value = values[name] ?? fromNpm(name)
      return typeof value === 'string' ? { [name === 'label-tr' ? 'labelTr' : name]: value } : {}
    },
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...options(TEXTS, { type: 'string' }),
        ...options(FLAGS, { type: 'boolean' }),
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new StartError(`${(error as Error).message.split('\n')[0]}\n    ${REMEDY}`)
  }
}

function options<Name extends string, Option>(names: readonly Name[], option: Option): Record<Name, Option> {
  return Object.fromEntries(names.map((name) => [name, option])) as Record<Name, Option>
}
