import { afterAll, beforeAll, expect } from 'vitest'
import { createCompany } from '../../support/accounts'
import { type TestBackend, testBackend } from '../../support/backend'
import { addDevice, announce, type FileRow, PDF, type Person, signIn, upload } from './support'

export let backend: TestBackend
export let company: string
export let device: string
export let victim: Person
/** A member of the company without any right on devices. */
export let insider: Person
export let stranger: Person
export let file: FileRow
export let draft: FileRow
export let pending: FileRow
export const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
export const attempts = { count: 0 }

export interface Answered {
  status: number
  text: string
  headers: Headers
}

/** A request is one attempt. */
export async function ask(path: string, init: RequestInit = {}): Promise<Answered> {
  attempts.count++
  const answer = await fetch(`${backend.url}/storage/v1${path}`, init)
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}
export const isRefused = ({ status, text }: Answered) => {
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
  expect(text).not.toContain('%PDF')
}
export const json = (value: unknown) => ({ body: JSON.stringify(value), method: 'POST' })
export const jsonHeaders = ({ headers }: Person) => ({ ...headers, 'content-type': 'application/json' })

/** A company whose admin has an attached, a draft and an announced file. Fewer attempts than `minAttempts` fail. */
export function openAttack(minAttempts: number): void {
  beforeAll(async () => {
    attempts.count = 0
    backend = await testBackend({ demo: false, fileMaxMb: 4, fileCompanyMb: 60 })
    company = await createCompany(backend)
    device = await addDevice(backend, company)
    victim = await signIn(backend, 'Admin', company)
    insider = await signIn(backend, 'Standard', company)
    stranger = await signIn(backend, 'Admin', await createCompany(backend))
    file = await upload(victim, PDF, { company, record: device })
    draft = await upload(victim, PDF, { company })
    pending = await announce(victim, { company, record: device, size: 100 })
  })
  afterAll(async () => {
    console.info(`${attempts.count} attempts on the storage of files`)
    await backend?.stop()
    expect(attempts.count).toBeGreaterThanOrEqual(minAttempts)
  })
}
