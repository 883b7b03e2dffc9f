import { type ChildProcess, fork } from 'node:child_process'
import { BRIEF, program, START } from './program'

type Row = Record<string, unknown>

export interface Options {
  dataDir: string
  /** 0, the default, takes a free one. */
  port?: number
  databaseUrl?: string
  /** Folder of a built console to serve. */
  dist?: string
  demo?: boolean
  /** Lives for one test: started quickly rather than made fast. Nothing that is measured. */
  brief?: boolean
  /** The address that replies by mail go to, and the secret of the webhook that takes them. */
  mailReply?: string
  mailInboundSecret?: string
}

export interface Question {
  id: number
  sql: string
  params: unknown[]
}

export type Answer = { id: number; rows: Row[] } | { id: number; error: string }

export interface Ready {
  url: string
  publishableKey: string
}

export interface ServerProcess {
  pid: number
  url: string
  key: string
  /** Runs one statement past every policy. */
  query: (sql: string, params?: unknown[]) => Promise<Row[]>
  stop: () => Promise<void>
  /** As a crash would: without a word before. */
  kill: () => Promise<void>
}

function firstMessage(child: ChildProcess): Promise<Ready> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Ready))
    child.once('exit', (code) => reject(new Error(`The server ended with ${code} before it listened.`)))
  })
}

export async function startServerProcess(options: Options): Promise<ServerProcess> {
  const child = fork(await program(new URL('./server-child.ts', import.meta.url)), {
    execArgv: options.brief ? BRIEF : START,
    // The server's log is not the caller's output; the server's complaints are.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, SERVER_OPTIONS: JSON.stringify(options) },
  })
  const { url, publishableKey } = await firstMessage(child)
  const waiting = new Map<number, (answer: Answer) => void>()
  child.on('message', (message) => {
    const answer = message as Answer
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  let last = 0
  return {
    pid: child.pid ?? 0,
    url,
    key: publishableKey,
    query: (sql, params = []) =>
      new Promise((resolve, reject) => {
        const id = ++last
        waiting.set(id, (answer) =>
          'rows' in answer ? resolve(answer.rows) : reject(new Error(`${answer.error}\n${sql}`)),
        )
        child.send({ id, sql, params })
      }),
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null) return resolve()
        child.once('exit', () => resolve())
        child.send('stop')
      }),
    kill: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.kill('SIGKILL')
      }),
  }
}
