import { expect, type Page } from '@playwright/test'
import { visit } from '../test'
import {
  column,
  type Edited,
  edit,
  editFile,
  entry,
  erase,
  look,
  main,
  menu,
  post,
  resource,
  type Stage,
  seen,
  step,
} from './stage'

/** A step whose change is an edit alone. */
const saves = (
  stage: Stage,
  what: string,
  path: string,
  place: (page: Page) => ReturnType<typeof main>,
  work: () => void,
) =>
  step(stage, what, async () => {
    await look(stage, path)
    await seen(stage, what, 'save', place(stage.viewer), async (saved) => {
      work()
      saved()
    })
  })

const trucks = (stage: Stage, change: (definition: Edited) => void) => () => edit(stage, 'trucks', change)

/** The look of a list needs no migration. */
export async function changeLists(stage: Stage): Promise<void> {
  const headers = (page: Page) => main(page).locator('thead')
  await saves(
    stage,
    'a list column without migrate',
    '/trucks',
    (page) => column(page, 'Disk'),
    trucks(stage, ({ list }) => list.columns.push('disk')),
  )
  await saves(
    stage,
    'the order of columns',
    '/trucks',
    (page) => headers(page).filter({ hasText: /Disk.*Model/s }),
    trucks(stage, ({ list }) => {
      list.columns = ['plate', 'disk', ...list.columns.filter((name) => !['plate', 'disk'].includes(name))]
    }),
  )
  await saves(
    stage,
    'a view',
    '/trucks',
    (page) => main(page).getByRole('button', { name: 'In the shop', exact: true }),
    trucks(stage, ({ list }) => {
      list.views = {
        shop: { filter: { state: { _eq: 'repair' } }, label: { en: 'In the shop', tr: 'Tamirde' } },
      }
    }),
  )
  const first = (plate: string) => main(stage.viewer).locator('tbody tr').first().filter({ hasText: plate })
  await step(
    stage,
    'a user who leaves a list and comes back at once sees rows added in between',
    async () => {
      await look(stage, '/groups')
      await seen(stage, 'a row added in between', 'command', first('01 AA 1'), async () => {
        await post(stage, 'trucks', { plate: '01 AA 1' })
        await look(stage, '/trucks')
      })
    },
  )
  await saves(
    stage,
    'the order of rows',
    '/trucks',
    () => first('34 AB 1'),
    trucks(stage, ({ list }) => (list.sort = '-plate')),
  )
  await saves(
    stage,
    'help in the form',
    '/create-truck',
    (page) => main(page).getByText('As on its plate'),
    trucks(stage, ({ fields }) =>
      Object.assign(fields.plate ?? {}, { help: { en: 'As on its plate', tr: 'Plakadaki gibi' } }),
    ),
  )
  await saves(
    stage,
    'children in the form',
    '/create-truck',
    (page) => main(page).getByRole('group', { name: 'Trips', exact: true }),
    trucks(stage, (definition) => {
      definition.form = {
        ...definition.form,
        children: [{ resource: 'trips', by: 'truck_id', fields: ['title', 'km'] }],
      }
    }),
  )
  await step(stage, 'children are written with their parent', async () => {
    const { row } = await post(stage, 'trucks', {})
    const save = (changes: object) =>
      stage.admin.request('POST', 'rpc/save_children', {
        ...{ resource: 'trips', by: 'truck_id', parent: row.id },
        rows: [{ changes: { company_id: stage.admin.companyId, ...changes } }],
      })
    expect(JSON.stringify((await save({ title: 'T', km: 9999 })).body)).toContain('23514')
    expect(JSON.stringify((await save({ title: 'T', km: 9 })).body)).toContain('created')
    await stage.admin.request('DELETE', `trips?truck_id=eq.${row.id}`)
    await erase(stage, 'trucks', row.id)
  })
}

type Text = Record<string, string>
interface Words {
  fields: Text
  values?: Record<string, Text>
}

export async function changeWords(stage: Stage, turkish: Page): Promise<void> {
  await visit(turkish, '/trucks')
  const texts = (language: string, word: string) =>
    editFile<Words>(stage, `locales/${language}/resources/trucks.json`, ({ fields }) => {
      fields.tank = word
    })
  // From here on the texts are in the files of the languages alone.
  const inFiles = () => {
    for (const name of ['trucks', 'trips', 'permits'])
      edit(stage, name, ({ fields }) => {
        for (const field of Object.values(fields)) delete field.label
      })
    for (const language of ['en', 'tr'])
      editFile<Words>(stage, `locales/${language}/resources/trucks.json`, ({ values }) => {
        delete values?.state?.sold
      })
  }
  await saves(
    stage,
    'a text in English',
    '/trucks',
    (page) => column(page, 'Fuel tank'),
    () => {
      inFiles()
      texts('en', 'Fuel tank')
    },
  )
  await step(stage, 'texts that a definition lacks', async () => {
    for (const name of ['trucks', 'permits']) await resource(stage, 'migrate', name)
    expect(await resource(stage, 'check')).toContain('No problems found.')
  })
  await step(stage, 'a text in Turkish', () =>
    seen(stage, 'a text in Turkish', 'save', column(turkish, 'Yakıt deposu'), async (saved) => {
      texts('tr', 'Yakıt deposu')
      saved()
    }),
  )
  const inMenu = (page: Page) => menu(page)
  await saves(
    stage,
    'an icon',
    '/trucks',
    (page) => entry(page, 'Trucks').locator('.anticon-car'),
    trucks(stage, (all) => (all.icon = 'car')),
  )
  await saves(
    stage,
    'a group of the menu',
    '/trucks',
    (page) => inMenu(page).getByText('Fleet', { exact: true }),
    () => {
      for (const [language, word] of [
        ['en', 'Fleet'],
        ['tr', 'Filo'],
      ] as const)
        editFile<{ groups?: object }>(stage, `locales/${language}/resources/_shared.json`, (shared) => {
          shared.groups = { ...shared.groups, fleet: word }
        })
      trucks(stage, (all) => (all.group = 'fleet'))()
    },
  )
  await saves(
    stage,
    'another part of the menu',
    '/trucks',
    (page) => inMenu(page).getByRole('list').first().getByRole('link', { name: 'Trips' }),
    () => edit(stage, 'trips', (all) => (all.section = 'main')),
  )
  await saves(
    stage,
    'a tab of another list',
    '/trucks',
    (page) =>
      main(page)
        .getByRole('link', { name: 'Permits', exact: true })
        .or(page.getByRole('tab', { name: 'Permits' })),
    () => edit(stage, 'permits', (all) => (all.parent = 'trucks')),
  )
}
