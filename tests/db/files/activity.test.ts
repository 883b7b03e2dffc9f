import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCompany } from '../../support/accounts'
import { type TestBackend, testBackend } from '../../support/backend'
import { addDevice, PDF, type Person, signIn, upload } from './support'

describe('the activity of a record with files', () => {
  let backend: TestBackend
  let company: string
  let admin: Person
  let standard: Person

  const activity = async (person: Person, resource: string, id: string) => {
    const { data } = await person.client.rpc('record_activity', { resource, record_id: id }).throwOnError()
    return (
      data as { table_name: string; actor_name: string; action: string; changes: { attachment?: unknown } }[]
    ).flatMap(({ table_name, actor_name, action, changes }) =>
      changes.attachment ? [{ table_name, actor_name, action, attachment: changes.attachment }] : [],
    )
  }

  beforeAll(async () => {
    backend = await testBackend({ demo: false })
    company = await createCompany(backend)
    admin = await signIn(backend, 'Admin', company)
    standard = await signIn(backend, 'Standard', company)
  })
  afterAll(() => backend?.stop())

  it('says which file was attached and removed, by whom and how large it was', async () => {
    const device = await addDevice(backend, company)
    const { data: me } = await admin.client
      .from('profiles')
      .select('name')
      .eq('id', admin.id)
      .single()
      .throwOnError()
    const file = await upload(admin, PDF, { company, record: device, name: 'invoice.pdf' })
    const named = `invoice.pdf (${PDF.length} bytes)`
    const entry = { table_name: 'devices', actor_name: me.name, action: 'edit' }
    expect(await activity(admin, 'devices', device)).toEqual([{ ...entry, attachment: [null, named] }])
    await admin.client.from('files').delete().eq('id', file.id).throwOnError()
    expect(await activity(admin, 'devices', device)).toEqual([
      { ...entry, attachment: [named, null] },
      { ...entry, attachment: [null, named] },
    ])
    // An entry is seen by those alone who see the record.
    expect(await activity(standard, 'devices', device)).toEqual([])
  })

  it('says nothing of a draft until it is attached', async () => {
    const device = await addDevice(backend, company)
    const draft = await upload(admin, PDF, { company, record: null, name: 'draft.pdf' })
    expect(await activity(admin, 'devices', device)).toEqual([])
    const attached = { ids: [draft.id], resource: 'devices', record_id: device }
    await admin.client.rpc('attach_files', attached).throwOnError()
    expect(await activity(admin, 'devices', device)).toHaveLength(1)
  })

  it('tells of a file of an internal note to those alone who may read notes', async () => {
    const [ticket] = await backend.sql<{ id: string }>(
      `insert into public.tickets (company_id, subject, requester_id) values ($1, 'Screen', $2) returning id`,
      [company, standard.id],
    )
    const id = ticket?.id ?? ''
    for (const kind of ['reply', 'note']) {
      const { data } = await admin.client
        .from('ticket_comments')
        .insert({ company_id: company, ticket_id: id, kind, body: kind })
        .select('id')
        .single()
        .throwOnError()
      await upload(admin, PDF, {
        company,
        resource: 'ticket_comments',
        record: data.id,
        name: `${kind}.pdf`,
      })
    }
    const files = async (person: Person) =>
      (await activity(person, 'tickets', id)).map(({ table_name, attachment }) => [table_name, attachment])
    const size = `(${PDF.length} bytes)`
    expect(await files(admin)).toEqual([
      ['tickets-notes', [null, `note.pdf ${size}`]],
      ['ticket_comments', [null, `reply.pdf ${size}`]],
    ])
    // A line that lists the audit log lets the requester see the reply's file, and never the note's.
    await backend.sql(
      `insert into app.policy_rule (ptype, v0, v1, v2, v3) values ('p', 'Standard', 'audit_log', 'list', 'allow')`,
    )
    expect(await files(standard)).toEqual([['ticket_comments', [null, `reply.pdf ${size}`]]])
    await backend.sql(`delete from app.policy_rule where v0 = 'Standard' and v1 = 'audit_log'`)
  })
})
