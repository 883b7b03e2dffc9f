import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { StartError } from '../supabase/embedded/start-error'
import { generatedFiles } from './resource/generate'
import type { NewOptions } from './resource/new'
import { main } from './support/environment'

// A command runs for seconds: optimizing PGlite's WASM costs more CPU than it saves.
setFlagsFromString('--liftoff-only')

const root = fileURLToPath(new URL('..', import.meta.url))

const USAGE = `Usage: npm run resource -- <command>

  new <name> [field:type…]   a new resource: definition, migration, permission lines and texts.
                             Without fields it asks for them.
      serial:text! model:text(80) status:enum(active,retired) device_id:devices
      bought_on:date cost:money(TRY) seats:number(1..500) tags:tags groups:groups[]
      "!" is required, "=value" the default, a resource's name a relation to it, with [] to many of it.
      --label "Printer/Printers" --label-tr "Yazıcı/Yazıcılar" --icon printer --group assets
      --route, --singular to replace the defaults; --platform for rows that belong to no company;
      --pro for a resource that needs a Pro license
  from-table <table>         a definition for an existing table
  migrate <name>             the next migration, from the difference between definition and database;
                             --drop drops what the definition no longer contains
  check                      problems in resources/, policies/ and the texts, by file and line
  types                      the definition's schema, types and reference from the field kinds

  new and migrate also apply to the console that runs on DATA_DIR (--keep leaves it unchanged).`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    label: { type: 'string' },
    'label-tr': { type: 'string' },
    icon: { type: 'string' },
    group: { type: 'string' },
    route: { type: 'string' },
    singular: { type: 'string' },
    platform: { type: 'boolean' },
    pro: { type: 'boolean' },
    drop: { type: 'boolean' },
    keep: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
})

/** npm takes options for itself unless `--` precedes them, and leaves them in the environment. */
function fromNpm(name: string): string | undefined {
  return process.env[`npm_config_${name.replaceAll('-', '_')}`]
}

function flag(name: 'platform' | 'pro' | 'drop' | 'keep'): boolean {
  return values[name] ?? fromNpm(name) === 'true'
}

function text(name: 'label' | 'label-tr' | 'icon' | 'group' | 'route' | 'singular'): Record<string, string> {
  const kept = fromNpm(name)
  if (values[name] === undefined && kept === 'true')
    throw new StartError(`npm consumed --${name}. Put -- before the command: npm run resource -- new …`)
  const value = values[name] ?? kept
  return value === undefined ? {} : { [name === 'label-tr' ? 'labelTr' : name]: value }
}

const say = (line: string) => console.log(line)

/** Loaded after the command is known: `types` has to work while what it writes is missing or stale. */
const commands = async () => ({
  ...(await import('./resource/ask')),
  ...(await import('./resource/check')),
  ...(await import('./resource/from-table')),
  ...(await import('./resource/migrate')),
  ...(await import('./resource/new')),
  ...(await import('./resource/scratch')),
  ...(await import('./resource/tree')),
})

async function types(): Promise<void> {
  for (const file of await generatedFiles(root)) {
    const path = join(root, file.path)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, file.text)
    say(`wrote ${file.path}`)
  }
}

async function check(): Promise<void> {
  const { checkResources, migratedCatalog } = await commands()
  const problems = checkResources(root, await migratedCatalog(root))
  for (const { file, line, message, hint } of problems)
    console.error(`${file}:${line}  ${message}${hint ? `\n    ${hint}` : ''}`)
  if (problems.length > 0)
    throw new StartError(`${problems.length} ${problems.length === 1 ? 'problem' : 'problems'} found.`)
  say('No problems found.')
}

async function create(name: string, fields: string[]): Promise<void> {
  const options: NewOptions = {
    name,
    fields,
    ...text('label'),
    ...text('label-tr'),
    ...text('icon'),
    ...text('group'),
    ...text('route'),
    ...text('singular'),
    ...(flag('platform') ? { platform: true } : {}),
    ...(flag('pro') ? { pro: true } : {}),
    ...(flag('keep') ? { keep: true } : {}),
  }
  const { askForResource, definitionsOf, newResource, readDefinitions } = await commands()
  if (fields.length > 0) return newResource(root, options, say)
  if (!process.stdin.isTTY)
    throw new StartError(
      'Give its fields, such as name:text! or status:enum(active,retired). In a terminal, the command asks for them.',
    )
  const resources = definitionsOf(readDefinitions(root)).map((each) => each.name)
  return newResource(root, await askForResource(options, resources), say)
}

await main(async () => {
  const [command = '', name = '', ...rest] = positionals
  const options = { name, ...(flag('drop') ? { drop: true } : {}), ...(flag('keep') ? { keep: true } : {}) }
  if (values.help) say(USAGE)
  else if (command === 'types') await types()
  else if (command === 'check') await check()
  else if (command === 'new' && name) await create(name, rest)
  else if (command === 'migrate' && name && rest.length === 0)
    await (await commands()).migrateResource(root, options, say)
  else if (command === 'from-table' && name && rest.length === 0)
    await (await commands()).fromTable(root, name, say)
  else if (command === '' || command === 'help') say(USAGE)
  else throw new StartError(USAGE)
  process.exit(0)
})
