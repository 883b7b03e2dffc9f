import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCompany } from '../../support/accounts'
import { drivers, type TestBackend, testBackend } from '../../support/backend'
import { insertInto } from '../support/as-user'
import { announce, type FileRow, PDF, type Person, signIn, upload } from './support'

describe.each(drivers('roles'))(
  'attachments of a ticket that its requester may not change, on %s',
  (driver) => {
    let backend: TestBackend
    let company: string
    let requester: Person
    let approver: Person
    let desk: Person

    beforeAll(async () => {
      backend = await testBackend({ driver, demo: false })
      company = await createCompany(backend)
      requester = await signIn(backend, 'Standard', company)
      approver = await signIn(backend, 'Standard', company)
      desk = await signIn(backend, 'Teknik', company)
    })
    afterAll(() => backend?.stop())

    const ticket = async () => {
      const [row] = await backend.sql<{ id: string }>(
        `${insertInto('tickets', { company_id: company, subject: 'A mouse', requester_id: requester.id })} returning id`,
      )
      return row?.id ?? ''
    }
    const close = (id: string) =>
      backend.sql(`update public.tickets set status = 'closed' where id = $1`, [id])
    const merge = async (id: string) => {
      await desk.client.rpc('merge_tickets', { ids: [id], target_id: await ticket() }).throwOnError()
    }
    const ask = async (id: string) => {
      await desk.client.rpc('request_approval', { ids: [id], person_id: approver.id }).throwOnError()
    }
    const approve = async (id: string) => {
      await ask(id)
      const steps = await backend.sql<{ id: string }>(
        'select id from public.ticket_approvals where ticket_id = $1',
        [id],
      )
      await approver.client
        .rpc('decide_approvals', { ids: steps.map((step) => step.id), approved: true, note: 'Yes' })
        .throwOnError()
    }
    const remove = (who: Person, { id }: FileRow) =>
      who.client.from('files').delete().eq('id', id).select('id')
    const of = (record: string) => ({ company, resource: 'tickets', record })
    const arrive = async (who: Person, file: FileRow) => {
      const { error } = await who.client.storage.from('files').upload(file.path, new Uint8Array(PDF))
      if (error) throw error
      return who.client.rpc('finish_file', { file_id: file.id })
    }

    it.each([
      ['is closed', close, 'ticket_closed'],
      ['waits for an approval', ask, 'approval_fixed'],
      ['has an approval', approve, 'approval_fixed'],
    ])(
      'once it %s are neither added, attached, finished nor removed by them, and the desk goes on',
      async (_, end, hint) => {
        const id = await ticket()
        const kept = await upload(requester, PDF, of(id))
        const draft = await upload(requester, PDF, { company, resource: 'tickets' })
        const begun = await announce(requester, { ...of(id), size: PDF.length })
        const given_up = await announce(requester, { ...of(id), size: PDF.length })
        await end(id)
        const refusal = { code: '42501', hint }
        await expect(announce(requester, { ...of(id), size: 9 })).rejects.toMatchObject(refusal)
        const attach = { ids: [draft.id], resource: 'tickets', record_id: id }
        expect((await requester.client.rpc('attach_files', attach)).error).toMatchObject(refusal)
        expect((await arrive(requester, begun)).error).toMatchObject(refusal)
        expect((await remove(requester, kept)).error).toMatchObject(refusal)
        const { data } = await desk.client.from('files').select('id').eq('record_id', id)
        expect(data).toEqual([{ id: kept.id }])
        expect((await remove(requester, given_up)).data).toHaveLength(1)
        await upload(desk, PDF, of(id))
        expect((await remove(desk, kept)).data).toHaveLength(1)
      },
    )

    it('that was merged are added by nobody: they would be missing in the ticket that took it', async () => {
      const id = await ticket()
      await merge(id)
      for (const person of [requester, desk])
        await expect(announce(person, { ...of(id), size: 9 })).rejects.toMatchObject({
          hint: 'ticket_merged',
        })
    })

    it('that is somebody else’s by then are not finished, and an answer tells nothing of it', async () => {
      const id = await ticket()
      const begun = await announce(requester, { ...of(id), size: PDF.length })
      await backend.sql(`update public.tickets set requester_id = $2 where id = $1`, [id, approver.id])
      expect((await arrive(requester, begun)).error).toMatchObject({ code: 'PT404', hint: 'file_gone' })
      await expect(announce(requester, { ...of(id), size: 9 })).rejects.toMatchObject({
        code: '42501',
        hint: null,
      })
      expect((await desk.client.from('files').select('id').eq('record_id', id)).data).toEqual([])
    })

    const reply = async (id: string) => {
      const { data } = await requester.client
        .from('ticket_comments')
        .insert({ company_id: company, ticket_id: id, body: 'Look' })
        .select('id')
        .single()
        .throwOnError()
      return { company, resource: 'ticket_comments', record: data.id as string }
    }

    it('a reply that is closed by then gets no file that was announced before, and keeps those that it has', async () => {
      const id = await ticket()
      const of = await reply(id)
      const kept = await upload(requester, PDF, of)
      const begun = await announce(requester, { ...of, size: PDF.length })
      await close(id)
      const refused = { hint: expect.stringMatching(/^(comment|ticket)_closed$/) }
      expect((await arrive(requester, begun)).error).toMatchObject(refused)
      expect((await remove(requester, kept)).error).toMatchObject(refused)
    })

    it('a reply that an approver may have read keeps its files, and a new one brings its own', async () => {
      const id = await ticket()
      const before = await reply(id)
      const kept = await upload(requester, PDF, before)
      const fixed = { code: '42501', hint: 'approval_fixed' }
      await ask(id)
      expect((await remove(requester, kept)).error).toMatchObject(fixed)
      const asked = await reply(id)
      const added = await upload(requester, PDF, asked)
      expect((await remove(requester, added)).error).toMatchObject(fixed)
      const [step] = await backend.sql<{ id: string }>(
        'select id from public.ticket_approvals where ticket_id = $1',
        [id],
      )
      await approver.client
        .rpc('decide_approvals', { ids: [step?.id], approved: true, note: 'Yes' })
        .throwOnError()
      for (const record of [before, asked])
        await expect(announce(requester, { ...record, size: 9 })).rejects.toMatchObject(fixed)
      for (const file of [kept, added]) expect((await remove(requester, file)).error).toMatchObject(fixed)
      const after = await upload(requester, PDF, await reply(id))
      expect((await remove(requester, after)).data).toHaveLength(1)
    })
  },
)
