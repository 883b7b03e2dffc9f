import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCompany } from '../../support/accounts'
import { type TestBackend, testBackend } from '../../support/backend'
import { type FileRow, PDF, type Person, signIn, upload } from '../files/support'
import { listen } from '../support/live-ears'

let backend: TestBackend
let company: string
let desk: Person
let requester: Person
let bystander: Person
let stranger: Person
let ticket: string

interface Attached {
  id: string
  record_id: string
  name: string
}

/** A comment with a file, written as the console does. */
async function comment(person: Person, kind: string, name: string): Promise<{ id: string; file: FileRow }> {
  const file = await upload(person, PDF, { company, resource: 'ticket_comments', name })
  const { data } = await person.client
    .from('ticket_comments')
    .insert({ company_id: company, ticket_id: ticket, kind, body: `With ${name}` })
    .select('id')
    .single<{ id: string }>()
    .throwOnError()
  await person.client
    .rpc('attach_files', { ids: [file.id], resource: 'ticket_comments', record_id: data.id })
    .throwOnError()
  return { id: data.id, file }
}

const filesOf = async ({ client }: Person, resource = 'tickets'): Promise<Attached[]> =>
  (await client.rpc('comment_files', { resource, record_id: ticket }).throwOnError()).data as Attached[]

/** Every way to a file: its row, its bytes, a link, and the place where it could be attached again. */
async function reach({ client, headers }: Person, { id, path }: FileRow) {
  const row = await client.from('files').select('id').eq('id', id)
  const listed = await client.from('files').select('id').eq('resource', 'ticket_comments')
  const bytes = await client.storage.from('files').download(path)
  const link = await client.storage.from('files').createSignedUrl(path, 60)
  const plain = await fetch(`${backend.url}/storage/v1/object/authenticated/files/${path}`, { headers })
  const names = await client.storage.from('files').list(path.split('/')[0] ?? '')
  const removed = await client.from('files').delete().eq('id', id).select('id')
  const moved = await client.rpc('attach_files', { ids: [id], resource: 'tickets', record_id: ticket })
  return {
    row: row.data?.length ?? 0,
    listed: (listed.data ?? []).filter((each) => each.id === id).length,
    bytes: bytes.error === null,
    link: link.error === null,
    plain: plain.ok,
    names: (names.data ?? []).filter(({ name }) => path.includes(name)).length,
    removed: removed.data?.length ?? 0,
    moved: moved.error === null,
  }
}

const NOTHING = {
  row: 0,
  listed: 0,
  bytes: false,
  link: false,
  plain: false,
  names: 0,
  removed: 0,
  moved: false,
}

beforeAll(async () => {
  backend = await testBackend({ demo: false })
  company = await createCompany(backend)
  desk = await signIn(backend, 'Teknik', company)
  requester = await signIn(backend, 'Standard', company)
  bystander = await signIn(backend, 'Standard', company)
  stranger = await signIn(backend, 'Admin', await createCompany(backend))
  const [made] = await backend.sql<{ id: string }>(
    `insert into public.tickets (company_id, subject, requester_id) values ($1, 'With files', $2) returning id`,
    [company, requester.id],
  )
  ticket = made?.id ?? ''
}, 120_000)
afterAll(() => backend?.stop())

it('the file of a reply is reached by the requester and by nobody outside of the ticket', async () => {
  const { id, file } = await comment(desk, 'reply', 'steps.pdf')
  expect(await filesOf(requester)).toMatchObject([{ id: file.id, record_id: id, name: 'steps.pdf' }])
  const { data } = await requester.client.storage.from('files').download(file.path)
  expect(await data?.text()).toContain('%PDF-1.7')
  for (const person of [bystander, stranger]) {
    expect(await filesOf(person)).toEqual([])
    expect(await reach(person, file)).toEqual(NOTHING)
  }
})

it('the file of a note reaches the desk and no requester', async () => {
  const { id, file } = await comment(desk, 'note', 'secret.pdf')
  expect((await filesOf(desk)).map((each) => each.record_id)).toContain(id)
  expect((await filesOf(requester)).map(({ name }) => name)).toEqual(['steps.pdf'])
  for (const person of [requester, bystander, stranger]) expect(await reach(person, file)).toEqual(NOTHING)
})

it('a file is attached to nobody else’s comment', async () => {
  const reply = await comment(desk, 'reply', 'own.pdf')
  const draft = await upload(requester, PDF, { company, resource: 'ticket_comments', name: 'smuggled.pdf' })
  const { error } = await requester.client.rpc('attach_files', {
    ids: [draft.id],
    resource: 'ticket_comments',
    record_id: reply.id,
  })
  expect(error).not.toBeNull()
  expect((await filesOf(desk)).map(({ name }) => name)).not.toContain('smuggled.pdf')
})

it('answers for a resource without comments as for a record without files', async () => {
  expect(await filesOf(desk, 'companies')).toEqual([])
})

it('the topic of the record hears of the file of a reply, and only that of the notes of the file of a note', async () => {
  const topics = [`record:tickets:${ticket}`, `record:tickets:${ticket}:note`]
  const heard = await Promise.all(topics.map((topic) => listen(desk.client, topic)))
  const updates = (at: number) =>
    heard[at]?.heard.flatMap(({ op, ids }) => (op === 'update' ? ids : [])) ?? []
  const reply = await comment(desk, 'reply', 'told.pdf')
  const note = await comment(desk, 'note', 'untold.pdf')
  await expect.poll(() => [updates(0), updates(1)]).toEqual([[reply.id], [note.id]])
})

it('a reply takes no file once its ticket is closed', async () => {
  const { id } = await comment(requester, 'reply', 'first.pdf')
  const late = await upload(requester, PDF, { company, resource: 'ticket_comments', name: 'late.pdf' })
  await backend.sql(`update public.tickets set status = 'closed' where id = $1`, [ticket])
  const { error } = await requester.client.rpc('attach_files', {
    ids: [late.id],
    resource: 'ticket_comments',
    record_id: id,
  })
  expect(error).toMatchObject({ code: '23514', hint: 'comment_closed' })
  const direct = await requester.client
    .from('files')
    .insert({ company_id: company, resource: 'ticket_comments', record_id: id, name: 'direct.pdf', size: 1 })
  expect(direct.error).toMatchObject({ hint: 'comment_closed' })
  expect((await filesOf(requester)).map(({ name }) => name)).not.toContain('late.pdf')
})
