import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { patience } from '../../../support/patience'
import { type Api, apiOf, type Row } from '../api'
import type { Copy } from '../copy'
import { ACCOUNTS, expect, PASSWORD, visit } from '../test'

export type Entry = Record<string, unknown>

export interface Edited extends Entry {
  fields: Record<string, Entry>
  list: Entry & { columns: string[] }
  form?: Entry
  actions?: Entry
}

/** From the save or from the end of the command until a browser that only looks shows it. */
type Since = 'save' | 'command'

const LIMIT_SECONDS = 10
const PATIENCE_MS = 30_000

export interface Stage {
  copy: Copy
  admin: Api
  platform: Api
  viewer: Page
  findings: string[]
  seconds: { what: string; since: Since; seconds: number }[]
  steps: number
  /** The words of open pages about renamed resources. */
  told: string[]
  /** The values that a row of a resource needs to be taken, beside those a step is about. */
  rows: Record<string, (place: number) => Row>
}

export async function openStage(copy: Copy, url: string, viewer: Page): Promise<Stage> {
  // Vite builds what a first page needs.
  await expect(main(viewer)).toBeVisible({ timeout: patience(120_000) })
  const [admin, platform] = await Promise.all([
    apiOf(url, ACCOUNTS.admin, PASSWORD),
    apiOf(url, ACCOUNTS.super, PASSWORD),
  ])
  const stage: Stage = {
    ...{ copy, admin, platform, viewer, findings: [], seconds: [], told: [], steps: 0, rows: {} },
  }
  const note = (text: string) => stage.told.push(`console error in step ${stage.steps}: ${text}`)
  viewer.on('console', (message) => {
    if (message.type() === 'error') note(`${message.text()} ${message.location().url}`)
  })
  viewer.on('pageerror', (error) => note(error.message))
  return stage
}

/** Runs a step of the journey: a failure in it is a finding, and the journey goes on. */
export async function step(stage: Stage, what: string, work: () => Promise<void>): Promise<void> {
  stage.steps++
  const began = Date.now()
  try {
    await work()
  } catch (error) {
    stage.findings.push(`${what}: ${(error as Error).message}`)
    console.log(`FINDING ${what}: ${(error as Error).message}`)
  }
  const seen = stage.seconds
    .filter((each) => each.what === what)
    .map(({ since, seconds }) => `${seconds} s after the ${since}`)
  console.log(`${stage.steps}. ${what}: ${seen.join(', ')} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
}

export const main = (page: Page): Locator => page.getByRole('main')
export const menu = (page: Page): Locator => page.getByRole('navigation', { name: /^(Main menu|Ana menü)$/ })
export const entry = (page: Page, name: string): Locator =>
  menu(page).getByRole('link', { name, exact: true })
export const column = (page: Page, name: string): Locator =>
  main(page).getByRole('columnheader', { name: new RegExp(`^${name}\\b`) })

/** Measures how long the viewer waits for what `change` does. */
export async function seen(
  stage: Stage,
  what: string,
  since: Since,
  place: Locator,
  change: (saved: () => void) => Promise<unknown>,
): Promise<void> {
  let from = Date.now()
  let isChanged = false
  const watch = place
    .first()
    .waitFor({ state: 'visible', timeout: patience(120_000) })
    .then(() => Date.now())
  watch.catch(() => undefined)
  await change(() => {
    from = Date.now()
    isChanged = true
  })
  if (since === 'command' || !isChanged) from = Date.now()
  const late = new Promise<never>((_done, fail) =>
    setTimeout(() => fail(new Error(`not seen within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS).unref(),
  )
  const at = await Promise.race([watch, late])
  const seconds = Math.max(0, Math.round((at - from) / 100) / 10)
  stage.seconds.push({ what, since, seconds })
  if (seconds > LIMIT_SECONDS) throw new Error(`seen after ${seconds} s`)
}

export async function look(stage: Stage, path: string): Promise<void> {
  if (new URL(stage.viewer.url()).pathname !== path) await visit(stage.viewer, path)
  await expect(main(stage.viewer)).toBeVisible()
}

export function editFile<File>(stage: Stage, file: string, edit: (content: File) => void): void {
  const path = join(stage.copy.root, file)
  const content = JSON.parse(readFileSync(path, 'utf8')) as File
  edit(content)
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`)
}

export const edit = (stage: Stage, resource: string, change: (definition: Edited) => void): void =>
  editFile<Edited>(stage, `resources/${resource}.json`, change)

export const resource = (stage: Stage, ...args: string[]): Promise<string> =>
  stage.copy.run('resource', ...args)

/** Runs a command that has to refuse, and gives what it said. */
export async function refused(work: Promise<string>): Promise<string> {
  return work.then(
    (out) => {
      throw new Error(`this was not refused: ${out}`)
    },
    (error: Error) => error.message,
  )
}

const clientOf = ({ admin, platform }: Stage, name: string): Api => (name === 'depots' ? platform : admin)

export interface Written {
  status: number
  code: string
  row: Row & { id?: string }
}

/** Posts a row of a resource, with what every row of it needs. */
export async function post(stage: Stage, name: string, row: Row): Promise<Written> {
  const api = clientOf(stage, name)
  const needed = stage.rows[name]?.(++places) ?? {}
  const company = api.companyId ? { company_id: api.companyId } : {}
  const { status, body } = await api.request('POST', name, { ...company, ...needed, ...row })
  const first = (Array.isArray(body) ? body[0] : body) as (Row & { code?: string; id?: string }) | null
  return { status, code: status < 300 ? 'taken' : (first?.code ?? String(status)), row: first ?? {} }
}
let places = 100

export async function patch(stage: Stage, name: string, id: unknown, row: Row): Promise<string> {
  const { status, body } = await clientOf(stage, name).request('PATCH', `${name}?id=eq.${String(id)}`, row)
  if (status < 300) return Array.isArray(body) && body.length === 1 ? 'taken' : 'no row'
  return (body as { code?: string } | null)?.code ?? String(status)
}

export async function erase(stage: Stage, name: string, id: unknown): Promise<string> {
  const { status, body } = await clientOf(stage, name).request('DELETE', `${name}?id=eq.${String(id)}`)
  return status < 300 ? 'taken' : ((body as { code?: string } | null)?.code ?? String(status))
}

/** Whether the API takes a row: `taken`, or the code of the refusal. Leaves no row behind. */
export async function taken(stage: Stage, name: string, row: Row): Promise<string> {
  const written = await post(stage, name, row)
  if (written.row.id) await erase(stage, name, written.row.id)
  return written.code
}

export interface Change {
  what: string
  resource: string
  /** The field whose label in the viewer's list tells that the change has arrived. */
  field: string
  edit?: Entry | ((definition: Edited) => void)
  /** Accepted before the change, refused after it, with this code. */
  breaks?: Row
  code?: string
  /** Refused before the change, accepted after it. */
  opens?: Row
  keeps?: Row
  since?: Since
  run?: () => Promise<unknown>
  after?: () => Promise<void>
}

const REFUSED = /^(2[23]\w{3}|42\w{3}|428C9|PGRST\d+|4\d\d)$/

/** Edits a definition, migrates, and asks both the viewer's list and the database. */
export function change(stage: Stage, each: Change): Promise<void> {
  const { what, resource: name, field, breaks, code = '23514', opens, keeps } = each
  return step(stage, what, async () => {
    await look(stage, `/${name}`)
    if (breaks) expect(await taken(stage, name, breaks), 'before, broken').toBe('taken')
    if (opens) expect(await taken(stage, name, opens), 'before, opened').toMatch(REFUSED)
    const label = `${field[0]?.toUpperCase()}${field.slice(1).replaceAll('_', ' ')} ${stage.steps}`
    await seen(stage, what, each.since ?? 'save', column(stage.viewer, label), async (saved) => {
      edit(stage, name, (definition) => {
        if (typeof each.edit === 'function') each.edit(definition)
        else definition.fields[field] = { ...definition.fields[field], ...each.edit }
        const changed = definition.fields[field]
        if (changed) changed.label = { en: label, tr: `${label} TR` }
      })
      saved()
      await (each.run?.() ?? resource(stage, 'migrate', name))
    })
    if (breaks) expect(await taken(stage, name, breaks), 'broken').toBe(code)
    if (opens) expect(await taken(stage, name, opens), 'opened').toBe('taken')
    if (keeps) expect(await taken(stage, name, keeps), 'kept').toBe('taken')
    await each.after?.()
  })
}
