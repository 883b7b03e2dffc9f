import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { renderCreate } from '../../../scripts/resource/migration/create'
import { planTable } from '../../../scripts/resource/migration/plan'
import { createCompany } from '../../support/accounts'
import { type TestBackend, testBackend } from '../../support/backend'
import { announce, PDF, type Person, signIn, upload } from './support'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

const PRINTERS: Definition = {
  name: 'printers',
  fields: {
    name: { type: 'text' },
    photo: { type: 'image', max_mb: 1 },
    manual: { type: 'file', accept: ['pdf', 'document'] },
  },
}

describe('a field that holds a file', () => {
  let backend: TestBackend
  let company: string
  let admin: Person
  let colleague: Person
  const draft = (person: Person, field: string, bytes: Buffer = PNG) =>
    upload(person, bytes, { company, resource: 'printers', field })

  beforeAll(async () => {
    backend = await testBackend({ demo: false })
    await backend.sql(
      `insert into app.policy_rule (ptype, v0, v1, v2, v3) select 'p', 'Admin', 'printers', verb, 'allow'
       from unnest(array['list', 'show', 'create', 'edit', 'delete']) as verb`,
    )
    for (const statement of renderCreate(
      planTable(PRINTERS, () => null),
      'Printers.',
    ).split(/;\n/))
      if (statement.replaceAll(/--.*$/gm, '').trim()) await backend.sql(statement)
    // Migrations run as the owner.
    await backend.sql('alter table public.printers owner to konsol_owner')
    await backend.sql(`notify pgrst, 'reload schema'`)
    company = await createCompany(backend)
    admin = await signIn(backend, 'Admin', company)
    colleague = await signIn(backend, 'Admin', company)
  })
  afterAll(() => backend?.stop())

  const save = (person: Person, row: object) =>
    person.client
      .from('printers')
      .insert({ company_id: company, name: 'P', ...row })
      .select('id')
      .single()
  const fileOf = async (id: string) =>
    (await backend.sql('select record_id, field from public.files where id = $1', [id]))[0]

  it('takes the draft of whoever saves the record, and gives up the file that it replaces', async () => {
    const first = await draft(admin, 'photo')
    const { data: printer } = await save(admin, { photo: first.id }).throwOnError()
    expect(await fileOf(first.id)).toEqual({ record_id: printer.id, field: 'photo' })
    const { data } = await colleague.client
      .from('printers')
      .select('photo_row:files!printers_photo_fkey(name,path,has_preview)')
      .eq('id', printer.id)
      .single()
    expect(data).toEqual({ photo_row: { name: 'invoice.pdf', path: first.path, has_preview: false } })
    const second = await draft(colleague, 'photo')
    await colleague.client.from('printers').update({ photo: second.id }).eq('id', printer.id).throwOnError()
    expect([await fileOf(first.id), await fileOf(second.id)]).toEqual([
      undefined,
      { record_id: printer.id, field: 'photo' },
    ])
    await colleague.client.from('printers').update({ photo: null }).eq('id', printer.id).throwOnError()
    expect(await fileOf(second.id)).toBeUndefined()
  })

  it('says in the activity which file took the place of which, without a key', async () => {
    const first = await draft(admin, 'photo')
    const { data: printer } = await save(admin, { photo: first.id }).throwOnError()
    const second = await draft(admin, 'photo', Buffer.concat([PNG, PNG]))
    await admin.client.from('printers').update({ photo: second.id }).eq('id', printer.id).throwOnError()
    await admin.client.from('printers').update({ photo: null }).eq('id', printer.id).throwOnError()
    const log = await backend.sql<{ changes: object }>(
      `select changes from public.audit_log where row_id = $1 and action = 'edit' order by at, id`,
      [printer.id],
    )
    const [small, large] = ['invoice.pdf (16 bytes)', 'invoice.pdf (32 bytes)']
    expect(log.map(({ changes }) => changes)).toEqual([
      { attachment: [null, small] },
      { attachment: [small, large] },
      { attachment: [large, null] },
    ])
    const created = await backend.sql(
      `select 1 from public.audit_log where row_id = $1 and changes::text like '%' || $2 || '%'`,
      [printer.id, first.id],
    )
    expect(created).toEqual([])
  })

  it('takes no draft of somebody else, of another field or unfinished, and no file of another record', async () => {
    const refused = async (row: object) => (await save(admin, row)).error
    expect(await refused({ photo: (await draft(colleague, 'photo')).id })).toMatchObject({
      hint: 'file_gone',
    })
    expect(await refused({ photo: (await draft(admin, 'manual', PDF)).id })).toMatchObject({
      hint: 'file_gone',
    })
    const unfinished = await announce(admin, { company, resource: 'printers', field: 'photo', size: 9 })
    expect(await refused({ photo: unfinished.id })).toMatchObject({ hint: 'file_gone' })
    const mine = await draft(admin, 'photo')
    await save(admin, { photo: mine.id }).throwOnError()
    expect(await refused({ photo: mine.id })).toMatchObject({ hint: 'file_gone' })
    expect((await refused({ photo: crypto.randomUUID() }))?.code).toMatch(/23514|23503/)
  })

  it('holds size and family of its files in the database', async () => {
    await expect(
      announce(admin, { company, resource: 'printers', field: 'photo', size: 1024 * 1024 + 1 }),
    ).rejects.toMatchObject({ hint: 'file_size' })
    await expect(draft(admin, 'photo', PDF)).rejects.toMatchObject({ hint: 'file_type' })
    await expect(draft(admin, 'manual', PNG)).rejects.toMatchObject({ hint: 'file_type' })
    expect(await draft(admin, 'manual', PDF)).toBeTruthy()
    // The table has no attachments.
    await expect(announce(admin, { company, resource: 'printers', size: 9 })).rejects.toMatchObject({
      code: '42501',
    })
    const { data } = await admin.client.rpc('file_limits', { resource: 'printers', field: 'manual' })
    expect(data).toMatchObject({ max_bytes: 25 * 1024 * 1024, accept: ['pdf', 'document'] })
  })

  it('loses its file with the record alone: nobody deletes it by itself', async () => {
    const file = await draft(admin, 'photo')
    const { data: printer } = await save(admin, { photo: file.id }).throwOnError()
    expect((await admin.client.from('files').delete().eq('id', file.id).select('id')).data).toEqual([])
    await admin.client.from('printers').delete().eq('id', printer.id).throwOnError()
    expect(await fileOf(file.id)).toBeUndefined()
  })
})
