import { join } from 'node:path'
import type { ServerOptions } from '../../supabase/embedded/options'
import { explainFull } from '../../supabase/embedded/replace-file'
import { ROOT } from '../../supabase/embedded/root'
import { StartError } from '../../supabase/embedded/start-error'

function number(name: string, fallback: number, least: number, most: number): number {
  const text = process.env[name]
  if (!text) return fallback
  const value = Number(text)
  if (Number.isFinite(value) && value >= least && value <= most) return value
  throw new StartError(`${name} must be a number from ${least} to ${most}, not ${text}.`)
}

export const dataDir = (): string => process.env.DATA_DIR || join(ROOT, 'supabase/.temp/data')

/** The server as the environment describes it; the README lists the variables. */
export function serverOptions(): Omit<ServerOptions, 'demo'> {
  const { HOST, DATABASE_URL, SITE_URL, SMTP_URL, MAIL_FROM, TRUSTED_PROXIES, NODE_ENV } = process.env
  const { MAIL_REPLY, MAIL_INBOUND_SECRET, IMAP_URL, MAIL_AUTHSERV_ID } = process.env
  return {
    port: number('PORT', 3000, 0, 65_535),
    host: HOST || '127.0.0.1',
    dataDir: dataDir(),
    rateLimitFactor: number('RATE_LIMIT_FACTOR', 1, 0.01, 1_000_000),
    sessionIdleDays: number('SESSION_IDLE_DAYS', 7, 0.05, 365),
    sessionMaxDays: number('SESSION_MAX_DAYS', 30, 0.05, 365),
    packageMaxMb: number('PACKAGE_MAX_MB', 512, 1, 8192),
    packageCompanyMb: number('PACKAGE_COMPANY_MB', 10_240, 1, 1_000_000),
    fileMaxMb: number('FILE_MAX_MB', 25, 1, 5_120),
    fileCompanyMb: number('FILE_COMPANY_MB', 10_240, 1, 1_000_000),
    storageUrl: process.env.STORAGE_URL || undefined,
    // Read before anything is built: Vite writes NODE_ENV.
    isProduction: NODE_ENV === 'production',
    ...(TRUSTED_PROXIES ? { trustedProxies: number('TRUSTED_PROXIES', 0, 0, 10) } : {}),
    ...(DATABASE_URL ? { databaseUrl: DATABASE_URL } : {}),
    ...(SITE_URL ? { siteUrl: SITE_URL } : {}),
    ...(SMTP_URL ? { smtpUrl: SMTP_URL } : {}),
    ...(MAIL_FROM ? { mailFrom: MAIL_FROM } : {}),
    ...(MAIL_REPLY ? { mailReply: MAIL_REPLY } : {}),
    ...(MAIL_INBOUND_SECRET ? { mailInboundSecret: MAIL_INBOUND_SECRET } : {}),
    ...(IMAP_URL ? { imapUrl: IMAP_URL } : {}),
    ...(MAIL_AUTHSERV_ID ? { mailAuthserv: MAIL_AUTHSERV_ID } : {}),
  }
}

/** An error that the operator can fix prints one line, a fault of ours the whole stack; both exit with code 1. */
export async function main(run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    const told = explainFull(error)
    console.error(told instanceof StartError ? told.message : told)
    process.exit(1)
  }
}

/** A request that goes wrong in an unforeseen way must not take the others with it. */
export function surviveRejections(): void {
  process.on('unhandledRejection', (reason) => console.error(reason))
}

/** Service managers and container hosts kill what has not ended soon after they asked. */
const STOP_MS = 2_000

/** Ctrl+C and `kill` let requests end and close the database, for less than three seconds; a second signal does not wait. */
export function stopOnSignal(stop: () => Promise<void>): void {
  let asked = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (asked) process.exit(1)
      asked = true
      setTimeout(() => process.exit(0), STOP_MS).unref()
      void stop().finally(() => process.exit(0))
    })
}
