import { type Account, PASSWORD } from './fleet'
import type { Place } from './place'

export interface Answered {
  status: number
  body: unknown
  /** Rows of the whole answer, as the server counted them: the part of content-range after the slash. */
  total: number | null
}

/** Someone who is signed in at a place and asks it what the console would ask. */
export interface Caller {
  account: Account
  company: string | null
  ask: (path: string, options?: { count?: boolean; body?: unknown }) => Promise<Answered>
}

async function post(place: Place, path: string, body: unknown, token?: string): Promise<unknown> {
  const response = await fetch(place.url + path, {
    method: 'POST',
    headers: {
      apikey: place.key,
      authorization: `Bearer ${token ?? place.key}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })
  const answer: unknown = await response.json()
  if (!response.ok) throw new Error(`${path} at ${place.name}: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}

export async function signIn(place: Place, account: Account): Promise<Caller> {
  const session = (await post(place, '/auth/v1/token?grant_type=password', {
    email: account.email,
    password: PASSWORD,
  })) as { access_token: string }
  const [role] = await place.query(
    'select r.company_id from public.user_roles r join public.profiles p on p.id = r.user_id where p.email = $1',
    [account.email],
  )
  const headers = { apikey: place.key, authorization: `Bearer ${session.access_token}` }
  return {
    account,
    company: (role?.company_id as string | null | undefined) ?? null,
    ask: async (path, { count, body } = {}) => {
      const response = await fetch(`${place.url}/rest/v1/${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...headers,
          ...(count ? { prefer: 'count=exact' } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      })
      const total = Number(response.headers.get('content-range')?.split('/')[1] ?? Number.NaN)
      return {
        status: response.status,
        body: (await response.json()) as unknown,
        total: Number.isNaN(total) ? null : total,
      }
    },
  }
}
