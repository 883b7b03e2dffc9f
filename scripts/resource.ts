import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { isInterrupted } from '../supabase/embedded/command-journal'
import { ROOT as root } from '../supabase/embedded/root'
import { StartError } from '../supabase/embedded/start-error'
import { type CommandArguments, readArguments } from './resource/arguments'
import { explainAnswer } from './resource/database-error'
import type { NewOptions } from './resource/new'
import { main } from './support/environment'

// A command runs for seconds: optimizing PGlite's WASM costs more CPU than it saves.
setFlagsFromString('--liftoff-only')

const USAGE = `Usage: npm run resource -- <command>
Options come after the two dashes, such as: npm run resource -- migrate printers --drop

  new <name> [field:type…]   a new resource: definition, migration, permission lines and texts.
                             Without fields it asks for them.
      serial:text! model:text(80) status:enum(active,retired)=active device_id:devices
      bought_on:date cost:money(TRY) seats:number(1..500) tags:tags groups:groups[]
      "!" is required, "=value" the default, a resource's name a relation to it, with [] to many of it;
      cost:money(TRY)@license-costs is hidden from those who may not list license-costs (@loans.edit asks another verb)
      --label "Printer/Printers" --label-tr "Yazıcı/Yazıcılar" --icon printer --group assets
      --route, --singular to replace the defaults; --platform for rows that belong to no company;
      --pro for a resource that needs a Pro license; --comments and --attachments for threads and files of records;
      --layouts board,calendar,dashboard beside the table; --own driver_id for a rule that covers the records of a
      person, so that a permission line may end in "own"; --trash keeps deleted records for 30 days
  from-table <table>         a definition for an existing table
  migrate                    applies the migrations that the running console does not have, such as your own
  migrate <name>             the next migration, from the difference between definition and database.
                             --drop drops what the definition no longer contains, --drop <field…> only these
                             fields: it asks, or wants --yes. Where a field may have been renamed it asks, too
  rename <name> <new-name>   a resource, or with <name>.<field> one of its fields: table, rows, permission lines,
                             texts, saved views and all definitions that name it follow;
                             --label, --label-tr for new texts, --yes to rename what code names
  remove <name>              takes a resource out of the console; its rows stay, out of reach of the API.
                             --drop deletes them too: it asks, or wants --yes
  restore <name>             takes a removed resource back, with its rows
  check                      problems in resources/, policies/ and the texts, by file and line
  types                      the definition's schema, types and reference from the field kinds

  What these change is also applied to the console that runs on DATA_DIR (--keep leaves it unchanged).`

let given: CommandArguments

const say = (line: string) => console.log(line)

async function types(): Promise<void> {
  // The files that it writes may be missing, so that no other command can be loaded.
  const { generatedFiles } = await import('./resource/generate')
  for (const file of await generatedFiles(root)) {
    const path = join(root, file.path)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, file.text)
    say(`wrote ${file.path}`)
  }
}

async function check(): Promise<void> {
  const { checkTree, tellProblems } = await import('./resource/check')
  const { migratedCatalog } = await import('./resource/scratch')
  const problems = checkTree(root, await migratedCatalog(root))
  tellProblems(problems, isInterrupted(root), { say, complain: console.error })
}

async function create(name: string, fields: string[]): Promise<void> {
  const options: NewOptions = {
    name,
    fields,
    ...given.text('label'),
    ...given.text('label-tr'),
    ...given.text('icon'),
    ...given.text('group'),
    ...given.text('route'),
    ...given.text('singular'),
    ...given.text('layouts'),
    ...given.text('own'),
    ...(given.flag('comments') ? { comments: true } : {}),
    ...(given.flag('attachments') ? { attachments: true } : {}),
    ...(given.flag('platform') ? { platform: true } : {}),
    ...(given.flag('pro') ? { pro: true } : {}),
    ...(given.flag('trash') ? { trash: true } : {}),
    ...(given.flag('keep') ? { keep: true } : {}),
  }
  const { newResource } = await import('./resource/new')
  if (fields.length > 0) return newResource(root, options, say)
  if (!process.stdin.isTTY)
    throw new StartError(
      'Give its fields, such as name:text! or status:enum(active,retired). In a terminal, the command asks for them.',
    )
  const { askForResource } = await import('./resource/ask')
  const { definitionsOf, readDefinitions } = await import('./resource/tree')
  const resources = definitionsOf(readDefinitions(root)).map((each) => each.name)
  return newResource(root, await askForResource(options, resources), say)
}

async function rename(name: string, to: string): Promise<void> {
  const { labelsOf } = await import('./resource/words-of')
  const { renameResource } = await import('./resource/rename')
  const labels = labelsOf({ ...given.text('label'), ...given.text('label-tr') })
  await renameResource(root, { name, to, labels, yes: given.flag('yes'), keep: given.flag('keep') }, say)
}

async function change(command: string, name: string, rest: string[]): Promise<void> {
  const options = {
    name,
    ...(given.flag('drop') ? { drop: true } : {}),
    ...(given.flag('keep') ? { keep: true } : {}),
  }
  const [to = ''] = rest
  if (['new', 'from-table'].includes(command)) (await import('./resource/restore')).refuseRemoved(root, name)
  if (command === 'new') await create(name, rest)
  else if (command === 'rename' && to && rest.length === 1) await rename(name, to)
  else if (command === 'remove' && rest.length === 0)
    await (await import('./resource/remove')).removeResource(
      root,
      { ...options, yes: given.flag('yes') },
      say,
    )
  else if (command === 'restore' && rest.length === 0)
    await (await import('./resource/restore')).restoreResource(root, options, say)
  else if (command === 'migrate' && (rest.length === 0 || given.flag('drop')))
    await (await import('./resource/migrate')).migrateResource(
      root,
      { ...options, ...(rest.length > 0 ? { drop: rest } : {}), yes: given.flag('yes') },
      say,
    )
  else if (command === 'from-table' && rest.length === 0)
    await (await import('./resource/from-table')).fromTable(root, name, say)
  else throw new StartError(USAGE)
}

async function run(): Promise<void> {
  given = readArguments(process.argv.slice(2), process.env)
  const [command = '', name = '', ...rest] = given.positionals
  if (given.flag('help') || command === '' || command === 'help') say(USAGE)
  else if (command === 'types') await types()
  else if (command === 'check') await check()
  else if (command === 'migrate' && name === '' && !given.flag('drop')) {
    const { applyPending } = await import('./resource/migrate')
    const { applyToRunning } = await import('./resource/running')
    const { runAlone } = await import('./resource/stroke')
    const command = () => applyPending(given.flag('keep') === true, say)
    await runAlone(root, { apply: applyToRunning, say, command })
  } else if (name === '') throw new StartError(USAGE)
  else {
    const { applyToRunning } = await import('./resource/running')
    const { runAlone } = await import('./resource/stroke')
    await runAlone(root, { apply: applyToRunning, say, command: () => change(command, name, rest) })
  }
}

await main(async () => {
  try {
    await run()
  } catch (error) {
    if (error instanceof StartError) throw new StartError(explainAnswer(error.message))
    throw error
  }
  process.exit(0)
})
