import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drivers } from '../../support/backend'
import { type DeskStage, deskStage } from './desk-stage'

describe.each(drivers('locks'))('the checklist of a ticket on %s', (driver) => {
  let stage: DeskStage
  beforeAll(async () => {
    stage = await deskStage(driver)
  })
  afterAll(() => stage?.backend.stop())

  it('begins with that of the category, and the ticket counts what is done and by whom', async () => {
    const category = await stage.add('ticket_categories', {
      name: 'Joiner',
      checklist: JSON.stringify([{ text: 'Account' }, { text: 'Laptop' }]),
    })
    const id = await stage.ticket({ category_id: category })
    expect(await stage.read(id)).toMatchObject({ checklist_progress: '0 / 2' })
    const items = await stage.backend.sql<{ id: string; text: string }>(
      'select id, text from public.ticket_checklist_items where ticket_id = $1 order by position',
      [id],
    )
    expect(items.map(({ text }) => text)).toEqual(['Account', 'Laptop'])
    const check = (ids: string[], client = stage.desk) => client.rpc('check_items', { ids })
    const answers = await Promise.all(items.map((item) => check([item.id])))
    expect(answers.map(({ data }) => data)).toEqual([1, 1])
    expect(await stage.read(id)).toMatchObject({ checklist_progress: '2 / 2' })
    expect(
      await stage.one('select * from public.ticket_checklist_items where id = $1', [items[0]?.id]),
    ).toMatchObject({
      done_by: stage.deskId,
      done_at: expect.anything(),
    })
    expect((await check([items[0]?.id ?? ''], stage.requester)).error).toMatchObject({ code: '42501' })
    expect((await check([items[0]?.id ?? ''], stage.stranger)).data).toBe(0)
    await stage.desk
      .from('ticket_checklist_items')
      .delete()
      .eq('id', items[1]?.id ?? '')
    expect(await stage.read(id)).toMatchObject({ checklist_progress: '1 / 1' })
  })

  it('of a requester’s new ticket is filled as well, and is not theirs to read', async () => {
    const category = await stage.add('ticket_categories', {
      name: 'Leaver',
      checklist: JSON.stringify([{ text: 'Account' }]),
    })
    const { data, error } = await stage.requester
      .from('tickets')
      .insert({ company_id: stage.company, subject: 'Leaving', category_id: category })
      .select('id,checklist_total')
      .single()
    expect(error).toBeNull()
    expect(await stage.read(String(data?.id))).toMatchObject({ checklist_total: 1 })
    const { data: items } = await stage.requester.from('ticket_checklist_items').select('id')
    expect(items).toEqual([])
  })
})
