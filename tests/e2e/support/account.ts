import type { Api } from './api'
import { dataDirOf, mailedLinks } from './mailbox'
import { expect, PASSWORD, unique } from './test'

/** An account of a test's own, which signs in with the usual password: invited by `admin`, with the mailed link opened. */
export async function newAccount(admin: Api, url: string): Promise<string> {
  const name = unique('Hesap')
  const email = `${name.replace(' ', '.').toLowerCase()}@acme.test`
  await admin.create('users', { name, email, role: 'Teknik' })
  const mailed = () => mailedLinks(dataDirOf(url), email)
  await expect.poll(async () => (await mailed()).length).toBe(1)
  const [link = ''] = await mailed()
  const { key } = (await (await fetch(`${url}/config.json`)).json()) as { key: string }
  const ask = async (method: string, path: string, body: object, token = key) => {
    const answer = await fetch(`${url}/auth/v1/${path}`, {
      method,
      headers: { apikey: key, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { access_token: string }
  }
  const token_hash = new URL(link).searchParams.get('token_hash')
  const { access_token } = await ask('POST', 'verify', { token_hash, type: 'recovery' })
  await ask('PUT', 'user', { password: PASSWORD }, access_token)
  return email
}
