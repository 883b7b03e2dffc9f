import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCompany } from '../../support/accounts'
import { drivers, type TestBackend, testBackend } from '../../support/backend'
import { addDevice, announce, PDF, type Person, signIn, upload } from './support'

const MB = 1024 * 1024

describe.each(drivers('locks'))('files on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let device: string
  let admin: Person
  let tech: Person
  let other: Person

  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false, fileMaxMb: 8, fileCompanyMb: 40 })
    company = await createCompany(backend)
    device = await addDevice(backend, company)
    admin = await signIn(backend, 'Admin', company)
    tech = await signIn(backend, 'Teknik', company)
    other = await signIn(backend, 'Admin', await createCompany(backend))
  })
  afterAll(() => backend?.stop())

  const download = async (person: Person, path: string) => {
    const { data } = await person.client.storage.from('files').download(path)
    return data ? Buffer.from(await data.arrayBuffer()) : null
  }
  const rowOf = async (id: string) =>
    (
      await backend.sql('select record_id, uploaded_at is not null as done from public.files where id = $1', [
        id,
      ])
    )[0]
  const usedBytes = async (of = company) =>
    Number(
      (await backend.sql<{ bytes: string }>('select bytes from app.file_use where company_id = $1', [of]))[0]
        ?.bytes ?? 0,
    )

  it('are read by whoever reads the record, and by nobody else', async () => {
    const file = await upload(tech, PDF, { company, record: device })
    expect(await download(tech, file.path)).toEqual(PDF)
    expect(await download(admin, file.path)).toEqual(PDF)
    expect(await download(other, file.path)).toBeNull()
    const { data } = await admin.client
      .from('files')
      .select('name,type,size,created_by,record_id')
      .eq('id', file.id)
    expect(data).toEqual([
      {
        name: 'invoice.pdf',
        type: 'application/pdf',
        size: PDF.length,
        created_by: tech.id,
        record_id: device,
      },
    ])
    expect((await other.client.from('files').select('id').eq('id', file.id)).data).toEqual([])
  })

  it('of a ticket are the requester’s and the desk’s: another user of the company reads none', async () => {
    const requester = await signIn(backend, 'Standard', company)
    const neighbor = await signIn(backend, 'Standard', company)
    const { data: ticket } = await requester.client
      .from('tickets')
      .insert({ company_id: company, subject: 'Printer', requester_id: requester.id })
      .select('id')
      .single()
      .throwOnError()
    const file = await upload(requester, PDF, { company, resource: 'tickets', record: ticket.id })
    expect(await download(requester, file.path)).toEqual(PDF)
    expect(await download(tech, file.path)).toEqual(PDF)
    expect(await download(neighbor, file.path)).toBeNull()
    expect((await neighbor.client.from('files').select('id')).data).toEqual([])
    await expect(
      announce(neighbor, { company, resource: 'tickets', record: ticket.id, size: 9 }),
    ).rejects.toMatchObject({
      code: '42501',
    })
  })

  it('are drafts of their uploader until the record is there, and attached all or none', async () => {
    const first = await upload(tech, PDF, { company })
    const second = await upload(tech, PDF, { company })
    expect(await download(admin, first.path)).toBeNull()
    const attach = (person: Person, ids: string[]) =>
      person.client.rpc('attach_files', { ids, resource: 'devices', record_id: device })
    expect((await attach(admin, [first.id])).error).toMatchObject({ hint: 'file_gone' })
    const foreign = await upload(admin, PDF, { company })
    expect((await attach(tech, [first.id, foreign.id])).error).toMatchObject({ hint: 'file_gone' })
    expect(await rowOf(first.id)).toEqual({ record_id: null, done: true })
    expect((await attach(tech, [first.id, second.id])).data).toBe(2)
    expect(await download(admin, first.path)).toEqual(PDF)
    // Attached once, it moves to no other record.
    const elsewhere = await addDevice(backend, company)
    expect(
      (await tech.client.rpc('attach_files', { ids: [first.id], resource: 'devices', record_id: elsewhere }))
        .error,
    ).toMatchObject({ hint: 'file_gone' })
  })

  it('are deleted by their uploader or by whoever may edit the record, with bytes and room', async () => {
    const before = await usedBytes()
    const mine = await upload(tech, PDF, { company, record: device })
    expect(await usedBytes()).toBe(before + PDF.length)
    const remove = async (person: Person) =>
      (await person.client.from('files').delete().eq('id', mine.id).select('id')).data?.length
    expect(await remove(other)).toBe(0)
    expect(await remove(admin)).toBe(1)
    expect(await usedBytes()).toBe(before)
    expect(
      await backend.sql('select path from app.file_removals where path like $1 order by path', [
        `${mine.path}%`,
      ]),
    ).toEqual([{ path: mine.path }, { path: `${mine.path}.webp` }])
    expect(await download(admin, mine.path)).toBeNull()
  })

  it('of a ticket are deleted by its requester only where the requester attached them', async () => {
    const requester = await signIn(backend, 'Standard', company)
    const watcher = await signIn(backend, 'Standard', company)
    const [ticket] = await backend.sql<{ id: string }>(
      `insert into public.tickets (company_id, subject, requester_id) values ($1, 'Own', $2) returning id`,
      [company, requester.id],
    )
    const record = ticket?.id ?? ''
    await backend.sql(
      'insert into public.ticket_watchers (company_id, ticket_id, user_id) values ($1, $2, $3)',
      [company, record, watcher.id],
    )
    const remove = async (person: Person, { id }: { id: string }) =>
      (await person.client.from('files').delete().eq('id', id).select('id')).data?.length
    const [own, desk] = [
      await upload(requester, PDF, { company, resource: 'tickets', record }),
      await upload(admin, PDF, { company, resource: 'tickets', record }),
    ]
    expect((await download(requester, desk.path))?.equals(PDF)).toBe(true)
    expect(await remove(requester, desk)).toBe(0)
    expect([await remove(watcher, own), await remove(watcher, desk)]).toEqual([0, 0])
    expect(await remove(requester, own)).toBe(1)
    const further = await upload(requester, PDF, { company, resource: 'tickets', record })
    expect(await remove(other, further)).toBe(0)
    expect([await remove(tech, further), await remove(tech, desk)]).toEqual([1, 1])
  })

  it('stay where the license of the company has ended, also for their uploader', async () => {
    const ending = await createCompany(backend)
    const uploader = await signIn(backend, 'Admin', ending)
    const file = await upload(uploader, PDF, { company: ending, record: await addDevice(backend, ending) })
    await backend.sql(`update public.companies set status = 'Expired' where id = $1`, [ending])
    expect((await uploader.client.from('files').delete().eq('id', file.id).select('id')).data).toEqual([])
    expect((await download(uploader, file.path))?.equals(PDF)).toBe(true)
  })

  it('go with their record, and stay where the record is moved aside', async () => {
    const [gone, aside] = [await addDevice(backend, company), await addDevice(backend, company)]
    const file = await upload(tech, PDF, { company, record: gone })
    const kept = await upload(tech, PDF, { company, record: aside })
    await admin.client.from('devices').delete().eq('id', gone).throwOnError()
    expect(await rowOf(file.id)).toBeUndefined()
    // The setting and the deletion share a transaction.
    await backend.sql(
      `with moved as (select set_config('app.moves_records', 'on', true)) delete from public.devices d using moved where d.id = $1`,
      [aside],
    )
    expect(await rowOf(kept.id)).toEqual({ record_id: aside, done: true })
  })

  it('that were not finished or not saved are removed after a day', async () => {
    const draft = await upload(tech, PDF, { company })
    const cutOff = await announce(tech, { company, record: device, size: 500 })
    const whole = await upload(tech, PDF, { company, record: device })
    await backend.sql(
      `update public.files set created_at = now() - interval '25 hours' where id = any ($1)`,
      [[draft.id, cutOff.id, whole.id]],
    )
    await backend.sql('select app.forget_drafts()')
    expect([await rowOf(draft.id), await rowOf(cutOff.id)]).toEqual([undefined, undefined])
    expect(await rowOf(whole.id)).toMatchObject({ done: true })
  })

  it('are at most as large as the server takes, and fill no more than the room of the company', async () => {
    await expect(announce(tech, { company, size: 8 * MB + 1 })).rejects.toMatchObject({
      hint: 'file_size',
      details: '{"max_mb": "8"}',
    })
    const small = await createCompany(backend)
    const owner = await signIn(backend, 'Admin', small)
    const asked = await Promise.allSettled(
      Array.from({ length: 12 }, () => announce(owner, { company: small, size: 8 * MB })),
    )
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    expect(await usedBytes(small)).toBe(40 * MB)
    for (const each of asked)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ hint: 'file_room' })
    const { data } = await owner.client.rpc('file_limits', { resource: 'devices' })
    expect(data).toEqual({ max_bytes: 8 * MB, free_bytes: 0, accept: null })
  })

  it('are refused to a company without a license, and to a role that may not edit', async () => {
    const expired = await createCompany(backend, { status: 'Expired' })
    const reader = await signIn(backend, 'Admin', expired)
    const theirs = await addDevice(backend, expired)
    await expect(announce(reader, { company: expired, size: 9 })).rejects.toMatchObject({ code: '42501' })
    await expect(announce(reader, { company: expired, record: theirs, size: 9 })).rejects.toMatchObject({
      code: '42501',
    })
    const standard = await signIn(backend, 'Standard', company)
    await expect(announce(standard, { company, record: device, size: 9 })).rejects.toMatchObject({
      code: '42501',
    })
    await expect(announce(standard, { company, size: 9 })).rejects.toMatchObject({ code: '42501' })
  })

  it('are taken in pieces, go on after a cut, and keep their type by the content', async () => {
    const bytes = Buffer.concat([PDF, Buffer.alloc(3 * MB, 'x')])
    const file = await announce(tech, { company, record: device, name: 'notes.txt', size: bytes.length })
    const tus = { ...tech.headers, 'tus-resumable': '1.0.0' }
    const encode = (text: string) => Buffer.from(text).toString('base64')
    const opened = await fetch(`${backend.url}/storage/v1/upload/resumable`, {
      method: 'POST',
      headers: {
        ...tus,
        'upload-length': String(bytes.length),
        'upload-metadata': `bucketName ${encode('files')},objectName ${encode(file.path)},contentType ${encode('image/png')}`,
      },
    })
    expect(opened.status).toBe(201)
    const url = new URL(opened.headers.get('location') ?? '', backend.url).href
    const patch = (offset: number, part: Buffer) =>
      fetch(url, {
        method: 'PATCH',
        headers: {
          ...tus,
          'content-type': 'application/offset+octet-stream',
          'upload-offset': String(offset),
        },
        body: new Uint8Array(part),
      })
    const offset = async () =>
      (await fetch(url, { method: 'HEAD', headers: tus })).headers.get('upload-offset')
    expect((await patch(0, bytes.subarray(0, MB))).status).toBe(204)
    // The client left in the middle of a piece: what arrived counts.
    const cut = request(url, {
      method: 'PATCH',
      headers: {
        ...tus,
        'content-type': 'application/offset+octet-stream',
        'upload-offset': String(MB),
        'content-length': String(bytes.length - MB),
      },
    })
    cut.on('error', () => undefined)
    cut.write(bytes.subarray(MB, 2 * MB))
    await expect.poll(offset, { timeout: 20_000 }).toBe(String(2 * MB))
    cut.destroy()
    expect((await patch(MB, bytes.subarray(MB))).status).toBe(409)
    expect((await patch(2 * MB, bytes.subarray(2 * MB))).status).toBe(204)
    await tech.client.rpc('finish_file', { file_id: file.id }).throwOnError()
    expect((await download(admin, file.path))?.equals(bytes)).toBe(true)
    const { data } = await admin.client.from('files').select('type').eq('id', file.id).single()
    expect(data).toEqual({ type: 'application/pdf' })
  })

  it('are listed, linked and described as supabase-js asks', async () => {
    const file = await upload(tech, PDF, { company, record: device })
    const bucket = admin.client.storage.from('files')
    expect((await bucket.list(company)).data?.map(({ name }) => name)).toContain(file.id)
    expect((await other.client.storage.from('files').list(company)).data).toEqual([])
    expect((await bucket.info(file.path)).data).toMatchObject({ size: PDF.length })
    expect((await bucket.exists(file.path)).data).toBe(true)
    const { data } = await bucket.createSignedUrl(file.path, 60)
    const answer = await fetch(`${data?.signedUrl}&download=${encodeURIComponent('Fatura “1”.pdf')}`)
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="Fatura _1_.pdf"; filename*=UTF-8''Fatura%20%E2%80%9C1%E2%80%9D.pdf`,
    )
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(PDF)
    const many = await bucket.createSignedUrls([file.path, `${company}/${crypto.randomUUID()}`], 60)
    expect(many.data?.map(({ error }) => error === null)).toEqual([true, false])
  })
})
