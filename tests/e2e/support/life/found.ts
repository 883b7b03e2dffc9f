import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nextFillName } from '../../../../scripts/policies/migration'
import type { Row } from '../api'
import { expect } from '../test'
import { type Edited, edit, entry, post, resource, type Stage, seen, step, taken } from './stage'

/** A migration written by hand, newer than all others. */
export function migration(stage: Stage, what: string, sql: string): void {
  const folder = join(stage.copy.root, 'supabase/migrations')
  const stamp = nextFillName(readdirSync(folder), new Date()).slice(0, 14)
  writeFileSync(join(folder, `${stamp}_${what}.sql`), sql)
}

const DEPOTS =
  'name:text! city:text zone:timezone=Europe/Istanbul site:url mail:email tint:color slots:number(1..500) gate:ip hub:mac'
const TRUCKS = `plate:text! model:text(80) state:enum(active,repair) address:text radio:text contact:text tank:number(0..40000)
  fuel:percent disk:bytes idle:duration price:money(TRY) labels:tags device_id:devices depot_id:depots groups:groups[]
  driver_id:user is_leased:boolean bought_on:date seen_at:datetime notes:textarea manual:markdown script:code(shell) extra:json`
const TRIPS = 'title:text! truck_id:trucks! km:number(0..5000) starts_on:date ends_on:date'
const PERMITS = 'code:text! truck_id:trucks weight:number(0..100000)'

const NEW: [name: string, fields: string, label: string, labelTr: string, more: string[]][] = [
  ['depots', DEPOTS, 'Depot/Depots', 'Depo/Depolar', ['--platform']],
  ['trucks', TRUCKS, 'Truck/Trucks', 'Kamyon/Kamyonlar', ['--icon', 'tag']],
  ['trips', TRIPS, 'Trip/Trips', 'Sefer/Seferler', []],
  ['permits', PERMITS, 'Permit/Permits', 'İzin/İzinler', []],
]

const VIEW = `create view public.open_trips with (security_invoker = true) as
  select id, company_id, title, truck_id, created_at from public.trips where ends_on is null;
comment on view public.open_trips is 'Trips without an end.';
revoke all on public.open_trips from public, anon, authenticated;
grant select on public.open_trips to authenticated;
`

/** Values that a kind refuses by itself. */
const WRONG: Record<string, Row[]> = {
  depots: [
    { name: null },
    { name: '  ' },
    { zone: 'Mars/Phobos' },
    { site: 'javascript:1' },
    { mail: 'zz' },
  ].concat([{ tint: 'red' }, { slots: 0 }, { gate: '999.1.1.1' }, { hub: 'zz' }] as never),
  trucks: [
    { state: 'lost' },
    { tank: 40_001 },
    { fuel: 101 },
    { disk: -1 },
    { idle: -1 },
    { price: -1 },
  ].concat([
    { driver_id: '00000000-0000-4000-8000-000000000000' },
    { depot_id: '00000000-0000-4000-8000-000000000000' },
  ] as never),
  trips: [{ truck_id: null }, { km: 5001 }, { starts_on: 'soon' }],
  permits: [{ code: ' ' }, { weight: -1 }],
}

/** Five resources by commands, one of them over a view. */
export async function found(stage: Stage): Promise<{ truck: string }> {
  for (const [name, fields, label, labelTr, more] of NEW)
    await step(stage, `new ${name}`, () =>
      seen(stage, `new ${name}`, 'command', entry(stage.viewer, label.split('/')[1] ?? ''), () =>
        resource(
          stage,
          'new',
          name,
          ...fields.split(/\s+/),
          '--label',
          label,
          '--label-tr',
          labelTr,
          ...more,
        ),
      ),
    )
  await step(stage, 'a view by from-table', () =>
    seen(stage, 'a view by from-table', 'command', entry(stage.viewer, 'Open trips'), async () => {
      migration(stage, 'create_open_trips', VIEW)
      await resource(stage, 'from-table', 'open_trips')
    }),
  )
  const vehicle = { plate: '34 AB 1', model: 'Uno', tank: 900, fuel: 50, price: 12.5, labels: ['a'] }
  const [truck, depot] = [
    await post(stage, 'trucks', vehicle),
    await post(stage, 'depots', { name: 'North' }),
  ]
  const truckId = String(truck.row.id)
  stage.rows = {
    depots: (place) => ({ name: `Depot ${place}` }),
    trucks: (place) => ({ plate: `34 AB ${place}`, model: `M${place}` }),
    trips: (place) => ({ title: `Trip ${place}`, truck_id: truckId }),
    permits: (place) => ({ code: `P${place}` }),
  }
  await step(stage, 'a row of each table', async () => {
    expect([truck.code, depot.code]).toEqual(['taken', 'taken'])
    expect((await post(stage, 'trips', { title: 'First', truck_id: truckId })).code).toBe('taken')
    expect((await post(stage, 'permits', { code: 'P1', truck_id: truckId, weight: 100 })).code).toBe('taken')
    expect(await stage.admin.read('open_trips?select=title')).toEqual([{ title: 'First' }])
    for (const [name, rows] of Object.entries(WRONG))
      for (const row of rows)
        expect(await taken(stage, name, row), `${name} ${JSON.stringify(row)}`).toMatch(/^(22|23)/)
    // The row belongs to the platform: an Admin of a company reads it and writes nothing.
    const mine = await stage.admin.request('POST', 'depots', { name: 'Mine' })
    expect(mine.status).toBe(403)
    expect(await stage.admin.read('depots?select=name')).toEqual([{ name: 'North' }])
  })
  await step(stage, 'many-to-many rows', async () => {
    const group = await stage.admin.create('groups', { name: 'Fleet' })
    const link = { company_id: stage.admin.companyId, truck_id: truckId, group_id: group.id }
    expect((await stage.admin.request('POST', 'truck_groups', link)).status).toBe(201)
    const rows = await stage.admin.read('trucks?select=plate,truck_groups(groups(name))&plate=eq.34 AB 1')
    expect(JSON.stringify(rows)).toContain('Fleet')
  })
  return { truck: truckId }
}

const LISTS: Record<string, string[]> = {
  depots: ['name', 'city', 'zone', 'slots'],
  trucks: 'plate model state address radio contact tank fuel price labels'.split(' '),
  trips: ['title', 'truck_id', 'km', 'starts_on', 'ends_on'],
  permits: ['code', 'truck_id', 'weight'],
}

/** Lists show the fields that the journey changes. */
export async function arrange(stage: Stage): Promise<void> {
  for (const [name, columns] of Object.entries(LISTS))
    edit(stage, name, (definition: Edited) => {
      definition.list = { ...definition.list, columns }
    })
  await resource(stage, 'check')
}
