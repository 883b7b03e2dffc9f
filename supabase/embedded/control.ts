import { randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { StartError } from './start-error'

/** Operations that the command line asks of a running server, since no other process may open the data directory. */
export type Operations = Record<string, (argument: unknown) => Promise<unknown>>

interface Address {
  port: number
  secret: string
}

const fileOf = (directory: string) => join(resolve(directory), 'control.json')

const same = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1'))

/**
 * A second listener, on loopback alone and with a secret only the owner of the data directory can read.
 * @returns how to close it.
 */
export async function serveControl(directory: string, operations: Operations): Promise<() => Promise<void>> {
  const secret = randomBytes(32).toString('base64url')
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
      response.end(JSON.stringify(body))
    }
    try {
      if (request.method !== 'POST' || !same(String(request.headers['x-control-secret'] ?? ''), secret))
        return answer(403, { error: 'Forbidden' })
      const operation = operations[(request.url ?? '').slice(1)]
      if (!operation) return answer(404, { error: 'The running server does not support this command.' })
      let text = ''
      for await (const chunk of request) text += String(chunk)
      answer(200, { result: (await operation(text ? JSON.parse(text) : null)) ?? null })
    } catch (error) {
      answer(500, { error: (error as Error).message })
    }
  })
  await new Promise<void>((done, fail) => {
    server.once('error', fail)
    server.listen(0, '127.0.0.1', done)
  })
  const { port } = server.address() as AddressInfo
  const file = fileOf(directory)
  rmSync(file, { force: true })
  writeFileSync(file, JSON.stringify({ port, secret } satisfies Address), { mode: 0o600, flag: 'wx' })
  return async () => {
    rmSync(file, { force: true })
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
}

/** The server was asked and no answer came: it may have done what was asked. */
export class NoAnswerError extends StartError {}

/**
 * Asks the server that works on this data directory.
 * @throws StartError with its reason, or when it does not answer.
 */
export async function askServer<T>(
  directory: string,
  operation: string,
  argument: unknown = null,
): Promise<T> {
  let address: Address
  try {
    address = JSON.parse(readFileSync(fileOf(directory), 'utf8')) as Address
  } catch {
    throw new StartError(`A server uses ${resolve(directory)} but does not accept commands yet. Try again.`)
  }
  let response: Response
  let body: { result?: T; error?: string }
  try {
    response = await fetch(`http://127.0.0.1:${address.port}/${operation}`, {
      method: 'POST',
      headers: { 'x-control-secret': address.secret },
      body: JSON.stringify(argument),
    })
    body = (await response.json()) as { result?: T; error?: string }
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string } }
    const text = `The running server did not respond: ${message}`
    throw cause?.code === 'ECONNREFUSED' ? new StartError(text) : new NoAnswerError(text)
  }
  if (!response.ok) throw new StartError(body.error ?? `The running server answered ${response.status}.`)
  return body.result as T
}
