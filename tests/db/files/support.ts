import type { SupabaseClient } from '@supabase/supabase-js'
import { createAccount } from '../../support/accounts'
import type { TestBackend } from '../../support/backend'

/** A file as `public.files` announces it. */
export interface FileRow {
  id: string
  path: string
}

export interface Person {
  id: string
  client: SupabaseClient
  token: string
  headers: Record<string, string>
}

export async function signIn(backend: TestBackend, role: string, company: string | null): Promise<Person> {
  const account = await createAccount(backend, role, company)
  const client = await backend.client(account.email)
  const token = (await client.auth.getSession()).data.session?.access_token ?? ''
  return {
    id: account.id,
    client,
    token,
    headers: { apikey: backend.publishableKey, authorization: `Bearer ${token}` },
  }
}

export async function addDevice({ sql }: TestBackend, company: string): Promise<string> {
  const [row] = await sql<{ id: string }>(
    `insert into public.devices (company_id, name) values ($1, 'PC ' || gen_random_uuid()) returning id`,
    [company],
  )
  return row?.id ?? ''
}

export interface Announcement {
  company: string
  resource?: string
  record?: string | null
  field?: string | null
  name?: string
  size: number
}

/** Announces a file as the console does. @throws the database's error */
export async function announce(
  { client }: Person,
  { company, resource = 'devices', record = null, field = null, name = 'invoice.pdf', size }: Announcement,
): Promise<FileRow> {
  const { data } = await client
    .from('files')
    .insert({ company_id: company, resource, record_id: record, field, name, size })
    .select('id,path')
    .single()
    .throwOnError()
  return data
}

/** Announces a file, sends it through `supabase-js` and ends the upload. */
export async function upload(
  person: Person,
  bytes: Uint8Array,
  announcement: Omit<Announcement, 'size'>,
): Promise<FileRow> {
  const file = await announce(person, { ...announcement, size: bytes.length })
  const { error } = await person.client.storage.from('files').upload(file.path, new Uint8Array(bytes), {
    contentType: 'application/octet-stream',
  })
  if (error) throw error
  await person.client.rpc('finish_file', { file_id: file.id }).throwOnError()
  return file
}

export const PDF = Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n')
