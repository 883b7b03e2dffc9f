import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '../test'
import { edit, editFile, entry, look, main, refused, resource, type Stage, seen, step } from './stage'

const RENAMES: [from: string, to: string, label: string, labelTr: string][] = [
  ['open_trips', 'open_tours', 'Open tour/Open tours', 'Açık tur/Açık turlar'],
  ['permits', 'clearances', 'Clearance/Clearances', 'Onay/Onaylar'],
  ['trips', 'tours', 'Tour/Tours', 'Tur/Turlar'],
  ['trucks', 'lorries', 'Lorry/Lorries', 'Tır/Tırlar'],
  ['depots', 'sites', 'Site/Sites', 'Saha/Sahalar'],
]

const path = (name: string) => `/${name.replaceAll('_', '-')}`

export async function renameAll(stage: Stage): Promise<void> {
  for (const [from, to, label, labelTr] of RENAMES)
    await step(stage, `rename ${from} ${to}`, async () => {
      await look(stage, path(from))
      const count = (await stage.admin.read(`${from}?select=id`)).length
      const many = label.split('/')[1] ?? ''
      const told = main(stage.viewer)
        .getByText(/was removed/)
        .or(main(stage.viewer).getByRole('link', { name: many }))
      await seen(stage, `rename ${from} ${to}`, 'command', told, () =>
        resource(stage, 'rename', from, to, '--label', label, '--label-tr', labelTr),
      )
      stage.told.push(
        `${from}: ${(await main(stage.viewer).innerText()).slice(0, 120).replaceAll('\n', ' / ')}`,
      )
      expect(await stage.admin.read(`${to}?select=id`)).toHaveLength(count)
      expect((await stage.admin.request('GET', `${from}?select=id`)).status).toBeGreaterThanOrEqual(400)
    })
}

/** Takes out of other definitions what names a resource that goes. */
const LAST: [name: string, many: string, before?: (stage: Stage) => void][] = [
  ['open_tours', 'Open tours'],
  ['clearances', 'Clearances'],
  ['tours', 'Tours', (stage) => edit(stage, 'lorries', (all) => delete all.form)],
  ['lorries', 'Lorries'],
  ['sites', 'Sites'],
]

export async function removeAll(stage: Stage): Promise<void> {
  await step(stage, 'what others name is not removed', async () => {
    expect(await refused(resource(stage, 'remove', 'tours'))).toContain('Nothing was removed')
  })
  const remove = (name: string, many: string, what: string, ...options: string[]) =>
    step(stage, what, async () => {
      await look(stage, path(name))
      await expect(
        main(stage.viewer)
          .getByRole('table')
          .or(main(stage.viewer).getByText(/no .* yet/i))
          .first(),
      ).toBeVisible()
      await seen(stage, what, 'command', main(stage.viewer).getByText(`${many} was removed`), () =>
        resource(stage, 'remove', name, ...options),
      )
      await expect(entry(stage.viewer, many)).toHaveCount(0)
      expect((await stage.admin.request('GET', `${name}?select=id`)).status).toBeGreaterThanOrEqual(400)
      const kept = existsSync(join(stage.copy.root, `resources/removed/${name}.json`))
      expect(kept).toBe(options.length === 0)
    })
  const rows = await stage.admin.read('clearances?select=id')
  await remove('clearances', 'Clearances', 'remove clearances, rows stay')
  await step(stage, 'restore clearances', async () => {
    await seen(stage, 'restore clearances', 'command', main(stage.viewer).getByRole('table'), () =>
      resource(stage, 'restore', 'clearances'),
    )
    expect(await stage.admin.read('clearances?select=id')).toEqual(rows)
  })
  await step(stage, 'check with all five', async () => {
    expect(await resource(stage, 'check')).toContain('No problems found.')
  })
  for (const [name, many, before] of LAST) {
    await step(stage, `before ${name} goes`, async () => before?.(stage))
    await remove(name, many, `remove ${name} --drop`, '--drop', '--yes')
  }
  await step(stage, 'check', async () => {
    for (const language of ['en', 'tr'])
      editFile<{ groups: object }>(stage, `locales/${language}/resources/_shared.json`, ({ groups }) =>
        Object.assign(groups, { fleet: undefined }),
      )
    expect(await resource(stage, 'check')).toContain('No problems found.')
  })
}
