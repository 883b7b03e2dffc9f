import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { apiOf } from '../api'
import { ACCOUNTS, PASSWORD } from '../test'
import { migration } from './found'
import {
  column,
  edit,
  erase,
  look,
  main,
  patch,
  post,
  refused,
  resource,
  type Stage,
  seen,
  step,
  taken,
} from './stage'

/** Changes a role's file of permission lines. */
async function lines(stage: Stage, file: string, change: (text: string) => string): Promise<void> {
  const path = join(stage.copy.root, 'policies', file)
  writeFileSync(path, change(readFileSync(path, 'utf8')))
  await stage.copy.run('policies')
}

export async function changeAccess(stage: Stage, url: string, truck: string): Promise<void> {
  const teknik = await apiOf(url, ACCOUNTS.teknik, PASSWORD)
  const asTeknik = async (row: object) => (await teknik.request('PATCH', `trucks?id=eq.${truck}`, row)).status
  await look(stage, '/trucks')
  await step(stage, 'a permission line taken', async () => {
    await seen(
      stage,
      'a permission line taken',
      'command',
      main(stage.viewer).getByText('trucks, list'),
      () => lines(stage, 'teknik.csv', (text) => text.replace(/^p, Teknik, trucks, .*\n/gm, '')),
    )
    expect(await teknik.read('trucks?select=id')).toEqual([])
    expect(await asTeknik({ tank: 5 })).toBe(403)
  })
  await step(stage, 'a permission line given back', async () => {
    await seen(
      stage,
      'a permission line given back',
      'command',
      main(stage.viewer).getByText('34 AB 1').first(),
      () =>
        lines(
          stage,
          'teknik.csv',
          (text) =>
            `${text.trimEnd()}\n\n${['list', 'show', 'create', 'edit', 'export'].map((verb) => `p, Teknik, trucks, ${verb}, allow\n`).join('')}`,
        ),
    )
    expect(await asTeknik({ tank: 902 })).toBe(200)
  })
  await step(stage, 'a guard', async () => {
    await look(stage, '/create-truck')
    const place = main(stage.viewer).getByText('Guarded price').first()
    await seen(stage, 'a guard', 'save', place, async (saved) => {
      edit(stage, 'trucks', ({ fields }) => {
        Object.assign(fields.price ?? {}, { guard: { write: { object: 'trucks', verb: 'approve' } } })
        Object.assign(fields.tank ?? {}, { help: { en: 'Guarded price', tr: 'Korunan fiyat' } })
      })
      saved()
      await lines(stage, 'admin.csv', (text) => `${text.trimEnd()}\np, Admin, trucks, approve, allow\n`)
      await resource(stage, 'migrate', 'trucks')
    })
    expect(await asTeknik({ price: 7 })).toBe(403)
    expect(await patch(stage, 'trucks', truck, { price: 7 })).toBe('taken')
    await expect(main(stage.viewer).getByRole('textbox', { name: /Price/ })).toHaveCount(0)
  })
  await step(stage, 'an action', async () => {
    await look(stage, `/trucks/${truck}`)
    const place = main(stage.viewer).getByRole('button', { name: 'Park', exact: true })
    await seen(stage, 'an action', 'command', place, async () => {
      migration(stage, 'park_trucks', PARK)
      edit(stage, 'trucks', (all) => {
        all.actions = {
          park: {
            ...{ rpc: 'park_trucks', on: ['record'], policy: { object: 'trucks', verb: 'edit' } },
            label: { en: 'Park', tr: 'Park et' },
          },
        }
      })
      await resource(stage, 'migrate', 'trucks')
    })
    expect((await stage.admin.request('POST', 'rpc/park_trucks', { ids: [truck] })).body).toBe(1)
    expect(await stage.admin.read(`trucks?id=eq.${truck}&select=notes`)).toEqual([{ notes: 'parked' }])
  })
}

const PARK = `create function public.park_trucks(ids uuid[]) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require('trucks', 'edit');
  update public.trucks t set notes = 'parked' where t.id = any (ids);
  get diagnostics changed = row_count;
  return changed;
end $$;
comment on function public.park_trucks(uuid[]) is 'Parks trucks and returns how many.';
revoke execute on function public.park_trucks(uuid[]) from public, anon;
grant execute on function public.park_trucks(uuid[]) to authenticated;
`

const migrations = ({ copy }: Stage) => readdirSync(join(copy.root, 'supabase/migrations')).length

/** Rows, names and columns: what migrate refuses and asks. */
export async function changeFields(stage: Stage, truck: string): Promise<void> {
  const file = join(stage.copy.root, 'resources/trucks.json')
  await step(stage, 'live rows that break a new rule', async () => {
    const [before, count] = [readFileSync(file, 'utf8'), migrations(stage)]
    const { row } = await post(stage, 'trucks', { model: 'x'.repeat(9) })
    edit(stage, 'trucks', ({ fields }) => Object.assign(fields.model ?? {}, { max_length: 8 }))
    expect(await refused(resource(stage, 'migrate', 'trucks'))).toContain('1 row of `trucks` break')
    expect(migrations(stage)).toBe(count)
    expect(await taken(stage, 'trucks', { model: 'y'.repeat(9) })).toBe('taken')
    writeFileSync(file, before)
    await erase(stage, 'trucks', row.id)
  })
  await step(stage, 'migrate asks whether a field was renamed', async () => {
    const [before, count] = [readFileSync(file, 'utf8'), migrations(stage)]
    writeFileSync(file, before.replaceAll('"bay"', '"quay"'))
    const said = await refused(resource(stage, 'migrate', 'trucks'))
    expect(said).toContain('Was the field renamed?')
    expect(said).toContain('npm run resource rename trucks.bay quay')
    expect(migrations(stage)).toBe(count)
    writeFileSync(file, before)
  })
  await step(stage, 'a field renamed', async () => {
    await look(stage, '/trucks')
    expect(await patch(stage, 'trucks', truck, { bay: 'B7' })).toBe('taken')
    await resource(stage, 'rename', 'trucks.bay', 'quay')
    await expect(main(stage.viewer).getByText('B7').first()).toBeVisible()
    expect(await taken(stage, 'trucks', { quay: 'Q1' })).toBe('taken')
    expect(await taken(stage, 'trucks', { bay: 'Q1' })).not.toBe('taken')
    await seen(stage, 'a field renamed', 'save', column(stage.viewer, 'Quay side'), async (saved) => {
      edit(stage, 'trucks', ({ fields }) => {
        Object.assign(fields.quay ?? {}, { label: { en: 'Quay side', tr: 'Rıhtım' } })
      })
      saved()
    })
    await expect(main(stage.viewer).getByText('B7').first()).toBeVisible()
  })
  await step(stage, 'a field dropped', async () => {
    edit(stage, 'trucks', ({ fields, list }) => {
      delete fields.quay
      list.columns = list.columns.filter((name) => name !== 'quay')
    })
    expect(await refused(resource(stage, 'migrate', 'trucks', '--drop', 'quay'))).toContain('quay')
    await resource(stage, 'migrate', 'trucks', '--drop', 'quay', '--yes')
    await expect(column(stage.viewer, 'Quay side')).toHaveCount(0)
    expect(await taken(stage, 'trucks', { quay: 'Q1' })).not.toBe('taken')
  })
}
