export interface ServerOptions {
  /** 0 takes a free one. */
  port: number
  host: string
  /** A directory, or `memory://` for a database that ends with the process. */
  dataDir: string
  /** A PostgreSQL of one's own instead of PGlite; `dataDir` then holds only keys. */
  databaseUrl?: string
  /** Where links in mails point; the address served by default. */
  siteUrl?: string
  /** Load the demo data if the database is new. */
  demo: boolean
  /** The built console, `dist` by default; null serves none. */
  serveDist?: string | null
  /** The folder of `resources/` and `locales/`; the project's by default. */
  definitionsRoot?: string
  /** The built agent, `dist-agent` by default. */
  agentDir?: string
  /** Multiplies every rate limit. */
  rateLimitFactor?: number
  /** Run checkpoints, vacuum and `app.tick()` on timers; on by default. */
  timers?: boolean
  smtpUrl?: string
  /** Keeps mails for `mails()` without SMTP_URL; by default where there is a mailbox. */
  keepMails?: boolean
  mailFrom?: string
  /** The address that replies go to; it must take `name+token@domain`. */
  mailReply?: string
  /** Opens `POST /mail/v1/inbound` to who signs with it. */
  mailInboundSecret?: string
  /** A mailbox that is read, `imaps://user:password@host/folder`. */
  imapUrl?: string
  /** The name of the operator's mail server in Authentication-Results, whose verdict on senders is believed. */
  mailAuthserv?: string
  /** The number of trusted proxies in front, whose X-Forwarded-For is believed; 0 by default. */
  trustedProxies?: number
  /** Days without use after which a session ends: 7. */
  sessionIdleDays?: number
  /** Days after which a session ends however much it is used: 30. */
  sessionMaxDays?: number
  /** NODE_ENV is production: there is no mailbox. */
  isProduction?: boolean
  /** The largest package that can be uploaded, in megabytes: 512. */
  packageMaxMb?: number
  /** The room for the packages of a company, in megabytes: 10,240. */
  packageCompanyMb?: number
  /** The largest file of a record, in megabytes: 25. */
  fileMaxMb?: number
  /** The room for the files of a company, in megabytes: 10,240. */
  fileCompanyMb?: number
  /** A bucket for the bytes of files, `s3://key:secret@host/bucket?region=…`, in place of the folder in `dataDir`. */
  storageUrl?: string
  /** Runs once the directory is locked and before its database opens. */
  beforeOpen?: () => void
  /** Runs once the server listens and before its database opens; until then it answers that it is starting. */
  onListen?: (url: string) => void
  log?: (line: string) => void
}
