import type { Answered, Caller } from './client'
import { type Fleet, turkishRows } from './fleet'
import type { Place } from './place'

interface Check {
  what: string
  passed: boolean
  detail: string
}

const search = (caller: Caller, word: string) =>
  caller.ask(
    `rpc/search_devices?q=${encodeURIComponent(word)}&select=id${caller.company ? `&company_id=eq.${caller.company}` : ''}&limit=1`,
    { count: true },
  )

function equal(what: string, found: unknown, expected: unknown): Check {
  return { what, passed: found === expected, detail: `${found}, expected ${expected}` }
}

/** That the fast answers are the right ones. The truth is asked of the tables themselves, past every policy. */
export async function correctness(place: Place, callers: Caller[], fleet: Fleet): Promise<Check[]> {
  const checks: Check[] = []
  for (const caller of callers) {
    const { view } = caller.account
    const [truth] = await place.query(
      `select count(*)::int as devices,
              count(*) filter (where status = 'online')::int as online,
              count(*) filter (where status = 'offline')::int as offline,
              (select count(*)::int from public.procedures where $1::uuid is null or company_id = $1::uuid) as procedures,
              (select count(*)::int from public.monitors
                where not is_active and ($1::uuid is null or company_id = $1::uuid)) as alerts
         from public.devices where $1::uuid is null or company_id = $1::uuid`,
      [caller.company],
    )
    const counted: Answered = await caller.ask(
      `devices?select=id${caller.company ? `&company_id=eq.${caller.company}` : ''}&limit=1`,
      { count: true },
    )
    checks.push(equal(`${view}: devices counted`, counted.total, truth?.devices))
    const dashboard = (await caller.ask('rpc/dashboard', { body: { company: caller.company } }))
      .body as Record<string, unknown>
    for (const key of ['online', 'offline', 'procedures', 'alerts'])
      checks.push(equal(`${view}: dashboard ${key}`, dashboard[key], truth?.[key]))
    const systems = (dashboard.systems as { count: number }[] | undefined) ?? []
    const shared = systems.reduce((sum, { count }) => sum + count, 0)
    checks.push(equal(`${view}: operating systems add up`, shared, truth?.devices))
  }
  const everyone = callers.find(({ account }) => account.view === 'all')
  if (everyone)
    for (const word of ['ışık', 'IŞIK', 'istanbul', 'İSTANBUL'] as const)
      checks.push(
        equal(
          `all: search ${word}`,
          (await search(everyone, word)).total,
          turkishRows(fleet.devices, word === 'ışık' || word === 'IŞIK' ? 'ışık' : 'istanbul'),
        ),
      )
  return checks
}
