/**
 * Every declared list as the console asks for it: its first page, sorted by each sortable column both ways, searched,
 * narrowed by each choice and view, a page from the middle by its key, and the deferred count.
 */
import type { SupabaseClient } from '@supabase/supabase-js'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/language/definition.generated'
import { listOf } from '@/resource/language/naming'
import { plainClient } from '../support/backend'
import type { Engine } from './engine'
import { type Account, PASSWORD } from './fleet'
import type { Place } from './place'
import { setting } from './setting'
import { type Times, times } from './statistics'

const ROUNDS = setting('BENCH_LIST_ROUNDS', 10, 1)
/** How many sorts and how many filters of a list are measured. */
const CHOICES = setting('BENCH_LIST_CHOICES', 1000, 1)

interface Measured extends Times {
  /** Which sort, filter or view: the table has the slowest of its kind. */
  what: string
}

export const KINDS = ['first page', 'sorted', 'searched', 'filtered', 'deep page', 'count'] as const
export type Kind = (typeof KINDS)[number]

export interface ListTimes {
  list: string
  view: Account['view']
  rows: number
  times: Partial<Record<Kind, Measured>>
  failed?: string
}

async function signedIn(place: Place, account: Account): Promise<SupabaseClient> {
  const client = plainClient(place.url, place.key)
  const { error } = await client.auth.signInWithPassword({ email: account.email, password: PASSWORD })
  if (error) throw error
  return client
}

async function measure(what: string, run: () => Promise<unknown>): Promise<Measured> {
  if (ROUNDS > 1) await run()
  const samples: number[] = []
  const begun = performance.now()
  while (
    samples.length < ROUNDS &&
    (samples.length < Math.min(3, ROUNDS) || performance.now() - begun < 8000)
  ) {
    const started = performance.now()
    await run()
    samples.push(performance.now() - started)
  }
  return { what, ...times(samples) }
}

const slowest = (all: Measured[]): Measured | undefined => all.toSorted((a, b) => b.p50 - a.p50)[0]

/** The addresses that narrow a list by one choice each: every view, and the first value of every choice. */
function narrowings(engine: Engine, definition: Definition): string[] {
  const views = Object.keys(listOf(definition)?.views ?? {}).map((name) => `view=${name}`)
  const filters = engine.filterNames(definition, engine.findDefinition).flatMap((name) => {
    const field = engine.filterField(definition, name, engine.findDefinition)
    const style = field ? engine.filterStyle(field) : undefined
    if (style === 'yesNo') return [`${name}=true`]
    if (field?.type !== 'enum') return []
    const values = Array.isArray(field.values) ? field.values.map(String) : Object.keys(field.values)
    return values[0] === undefined ? [] : [`${name}=${encodeURIComponent(values[0])}`]
  })
  return [...views, ...filters]
}

/** A six-digit number out of what can be searched: every name of ours has one. */
function aWord(definition: Definition, rows: Row[]): string | null {
  const searched = Object.entries(definition.fields).flatMap(([name, field]) => (field.search ? [name] : []))
  const texts = rows.flatMap((row) => searched.map((name) => String(row[name] ?? '')))
  return texts.map((text) => /\d{6}/.exec(text)?.[0]).find((word) => word !== undefined) ?? null
}

export async function measureLists(place: Place, engine: Engine, account: Account): Promise<ListTimes[]> {
  const client = await signedIn(place, account)
  const [own] = await place.query(
    'select r.company_id, r.user_id from public.user_roles r join public.profiles p on p.id = r.user_id where p.email = $1',
    [account.email],
  )
  const company = (own?.company_id as string | null | undefined) ?? null
  const user = { id: String(own?.user_id), companyId: company, email: account.email }
  const context = { companyId: company, scope: { user, now: new Date() }, find: engine.findDefinition }

  const results: ListTimes[] = []
  for (const definition of engine.definitions) {
    if (definition.list === false) continue
    const columns = engine.listFields(
      definition,
      engine.listColumns(definition, company, engine.findDefinition),
    )
    const request = (address: string) => {
      const state = engine.parseListState(new URLSearchParams(address), definition, engine.findDefinition)
      const asked = engine.listRequest(definition, columns, state, context)
      return { page: engine.rowPage(asked.page), count: engine.rowPage(asked.count) }
    }
    const page = (address: string) => engine.readPage(client, request(address).page)
    const all = async (addresses: string[]) => {
      const measured: Measured[] = []
      for (const address of addresses.slice(0, CHOICES))
        measured.push(await measure(address, () => page(address)))
      return slowest(measured)
    }
    const result: ListTimes = { list: definition.name, view: account.view, rows: 0, times: {} }
    results.push(result)
    try {
      const { count } = request('')
      result.rows = await engine.countRows(client, count, count.select)
      result.times['first page'] = await measure('', () => page(''))
      const sorts = Object.entries(definition.fields).flatMap(([name, field]) =>
        field.sort ? [`sort=${name}`, `sort=-${name}`] : [],
      )
      result.times.sorted = await all(sorts)
      const word = engine.hasSearch(definition) ? aWord(definition, (await page('')).rows) : null
      if (word) result.times.searched = await all([`q=${word}`])
      result.times.filtered = await all(narrowings(engine, definition))
      const { page: first } = request('')
      if (result.rows > 4 * first.pageSize) {
        const middle = Math.floor(result.rows / 2 / first.pageSize) + 1
        // Only what the key is made of: whole rows so far down take longer than a request may, and no screen asks for them.
        const select = [...new Set(['id', ...first.order.map(({ column }) => column)])].join(',')
        const { rows } = await engine.readPage(client, { ...first, select, page: middle })
        const cursor = engine.writeCursor(rows, first.order, 'after')
        if (cursor) result.times['deep page'] = await all([`after=${cursor.key}&page=${middle}`])
      }
      result.times.count = await measure('', () => engine.countRows(client, count, count.select))
    } catch (error) {
      result.failed = error instanceof Error ? error.message : String(error)
    }
  }
  return results
}

const figure = (value: number) => (value < 10 ? value.toFixed(1) : value.toFixed(0))

/** `p50 / p95 ×ratio`: the ratio is that of the medians, to the same request of the devices' list. */
export function listRows(results: ListTimes[]): string[][] {
  return results.map((result) => {
    const devices = results.find(({ list, view }) => list === 'devices' && view === result.view)
    const cells = KINDS.map((kind) => {
      const measured = result.times[kind]
      if (!measured) return '·'
      const base = devices?.times[kind]
      const ratio = base ? ` ×${figure(measured.p50 / base.p50)}` : ''
      const what =
        measured.what === '' || kind === 'deep page' || kind === 'searched' ? '' : ` ${measured.what}`
      return `${figure(measured.p50)} / ${figure(measured.p95)}${ratio}${what}`
    })
    return [
      result.list,
      result.view,
      String(result.rows),
      ...(result.failed ? [`FAILED ${result.failed}`] : cells),
    ]
  })
}
