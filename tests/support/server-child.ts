/**
 * The server in a process of its own: a benchmark's client is then not counted as the server's work, and a
 * browser test may stop it and start it again. Started by server-process.ts only; talks to it by IPC.
 */
import { startServer } from '../../supabase/embedded/server'
import type { Answer, Options, Question, Ready } from './server-process'

const tell = (message: Answer | Ready) => process.send?.(message)
const options = JSON.parse(process.env.SERVER_OPTIONS ?? '{}') as Options

const server = await startServer({
  port: options.port ?? 0,
  host: '127.0.0.1',
  dataDir: options.dataDir,
  demo: options.demo ?? false,
  serveDist: options.dist ?? null,
  log: () => undefined,
  // A test or a benchmark asks more than a person does.
  rateLimitFactor: 1_000_000,
  ...(options.databaseUrl ? { databaseUrl: options.databaseUrl } : {}),
  ...(options.mailReply ? { mailReply: options.mailReply } : {}),
  ...(options.mailInboundSecret ? { mailInboundSecret: options.mailInboundSecret } : {}),
})

process.on('message', async (message: Question | 'stop') => {
  if (message === 'stop') {
    await server.stop()
    process.exit(0)
  }
  try {
    tell({ id: message.id, rows: await server.query(message.sql, message.params) })
  } catch (error) {
    tell({ id: message.id, error: error instanceof Error ? error.message : String(error) })
  }
})
process.on('disconnect', () => void server.stop().finally(() => process.exit(0)))
tell({ url: server.url, publishableKey: server.publishableKey })
