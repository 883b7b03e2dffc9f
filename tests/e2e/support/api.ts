export type Row = Record<string, unknown>

export interface Reply {
  status: number
  body: unknown
}

/** A plain client of the backend: it makes the calls of the console, without the console. */
export interface Api {
  /** The caller's company; empty for a Super Admin. */
  companyId: string
  userId: string
  request: (method: string, path: string, body?: unknown) => Promise<Reply>
  /** @throws Error unless the backend made the row */
  create: (table: string, row: Row) => Promise<Row & { id: string }>
  /** @throws Error unless the backend answered with rows */
  read: (path: string) => Promise<Row[]>
}

/** The key that the server wrote into the page, as the console itself finds it. */
async function publishableKey(url: string): Promise<string> {
  const page = await (await fetch(`${url}/login`)).text()
  const content = /name="konsol-config"\s+content=(?:"([^"]*)"|'([^']*)')/.exec(page)
  const json = (content?.[1] ?? content?.[2] ?? '').replaceAll('&quot;', '"').replaceAll('&#34;', '"')
  const { key } = JSON.parse(json) as { key: string }
  return key
}

export interface Session {
  access_token: string
  expires_in: number
  user: { id: string }
}

/** The auth server's answer to a right password. */
export async function sessionOf(
  url: string,
  email: string,
  password: string,
): Promise<{ apikey: string; session: Session }> {
  const apikey = await publishableKey(url)
  const answer = await fetch(`${url}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { apikey, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  if (!answer.ok) throw new Error(`${email} cannot sign in: ${answer.status} ${await answer.text()}`)
  return { apikey, session: (await answer.json()) as Session }
}

export async function apiOf(url: string, email: string, password: string): Promise<Api> {
  const { apikey, session } = await sessionOf(url, email, password)

  const request = async (method: string, path: string, body?: unknown): Promise<Reply> => {
    const response = await fetch(`${url}/rest/v1/${path}`, {
      method,
      headers: {
        apikey,
        authorization: `Bearer ${session.access_token}`,
        'content-type': 'application/json',
        prefer: 'return=representation',
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, body: text ? (JSON.parse(text) as unknown) : null }
  }
  const rows = async (method: string, path: string, body?: unknown): Promise<Row[]> => {
    const reply = await request(method, path, body)
    if (reply.status >= 300 || !Array.isArray(reply.body))
      throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body as Row[]
  }
  const read = (path: string) => rows('GET', path)
  const [role] = await read(`user_roles?user_id=eq.${session.user.id}&select=company_id`)
  const companyId = String(role?.company_id ?? '')
  return {
    companyId,
    userId: session.user.id,
    request,
    read,
    create: async (table, row) => {
      const [created] = await rows('POST', table, companyId ? { company_id: companyId, ...row } : row)
      if (typeof created?.id !== 'string') throw new Error(`${table}: the new row has no id`)
      return created as Row & { id: string }
    },
  }
}
