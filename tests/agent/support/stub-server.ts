import { createHash } from 'node:crypto'
import { createServer } from 'node:http'

type Payload = Record<string, unknown>

export interface Reply {
  status?: number
  body: unknown
}

interface Behavior {
  checkIn?: (payload: Payload, count: number) => Payload | Reply
  report?: (payload: Payload, count: number) => Payload | Reply
  /** Reports are answered only after this. */
  holdReports?: Promise<void>
}

export interface StubServer {
  url: string
  /** Everything asked so far. */
  checkIns: Payload[]
  reports: Payload[]
  /** Results of the reports, flat, without news of a start. */
  results: () => Payload[]
  stop: () => Promise<void>
}

const isReply = (value: Payload | Reply): value is Reply => 'status' in value && 'body' in value

/** A console that answers as a test wants, for what a real one would never do. */
export async function stubServer(behavior: Behavior): Promise<StubServer> {
  const checkIns: Payload[] = []
  const reports: Payload[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const answer = (value: Payload | Reply) => {
        const reply = isReply(value) ? value : { status: 200, body: value }
        response.writeHead(reply.status ?? 200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(reply.body))
      }
      if (request.url === '/config.json') return answer({ url: '', key: 'a-key' })
      if (request.headers.apikey !== 'a-key')
        return answer({ status: 401, body: { message: 'Invalid API key' } })
      const { payload } = JSON.parse(Buffer.concat(chunks).toString()) as { payload: Payload }
      if (request.url?.endsWith('/agent_enroll'))
        return answer({
          device_id: '00000000-0000-4000-8000-000000000001',
          secret: 's'.repeat(64),
          interval: 5,
        })
      if (request.url?.endsWith('/agent_check_in')) {
        checkIns.push(payload)
        return answer(behavior.checkIn?.(payload, checkIns.length) ?? { interval: 1, runs: [], cancel: [] })
      }
      reports.push(payload)
      const results = payload.results as Payload[]
      const reply = behavior.report?.(payload, reports.length) ?? {
        accepted: results.map((result) => result.run_id),
        refused: [],
      }
      void (behavior.holdReports ?? Promise.resolve()).then(() => answer(reply))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  if (!address || typeof address !== 'object') throw new Error('The stub has no address.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    checkIns,
    reports,
    results: () =>
      reports.flatMap((report) => report.results as Payload[]).filter(({ state }) => state !== 'running'),
    stop: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

export const offer = (runId: string, script: string, more: Payload = {}): Payload => ({
  run_id: runId,
  attempt: 1,
  type: 'Bash',
  script,
  sha256: createHash('sha256').update(script).digest('hex'),
  parameters: {},
  timeout_seconds: 60,
  ...more,
})
