import { App, type EmailDriver } from '@supabase/lite'
import type { Database } from './database/database'
import { LITE_API } from './database/rest.mjs'
import { ACCESS_TOKEN_SECONDS } from './http/sessions'
import type { Keys } from './keys'

/** Machine-readable subjects: our mail driver writes the mail itself and needs only kind and token hash. */
const subject = (kind: string) => ({ subject: `${kind} {{ .TokenHash }}` })

/** When sessions end, in seconds: without use, and in any case. */
export interface SessionLimits {
  idleSeconds: number
  maxSeconds: number
}

export interface ApiOptions {
  database: Database
  keys: Keys
  siteUrl: string
  session?: SessionLimits
  mail: EmailDriver
}

/** PostgREST and GoTrue over our database: lite's App, without its admin routes, its studio and its CLI. */
export async function createApi({ database, keys, siteUrl, session, mail }: ApiOptions): Promise<App> {
  const app = new App({
    connection: database.connection,
    api: LITE_API,
    auth: {
      enabled: true,
      site_url: siteUrl,
      jwt_secret: keys.jwtSecret,
      jwt_expiry: ACCESS_TOKEN_SECONDS,
      enable_signup: false,
      enable_anonymous_sign_ins: false,
      minimum_password_length: 8,
      enable_refresh_token_rotation: true,
      ...(session
        ? { sessions: { timebox: `${session.maxSeconds}s`, inactivity_timeout: `${session.idleSeconds}s` } }
        : {}),
      publishable_key: keys.publishableKey,
      secret_key: keys.secretKey,
      email: {
        enable_signup: true,
        enable_confirmations: true,
        double_confirm_changes: true,
        // Nobody types the code: the link carries its hash. Forty digits cannot be guessed, six can.
        otp_length: 40,
        otp_expiry: 3600,
        template: {
          invite: subject('invite'),
          confirmation: subject('signup'),
          recovery: subject('recovery'),
          magic_link: subject('magiclink'),
          email_change: subject('email_change'),
        },
      },
    },
    studio: { enabled: false },
    options: {
      drivers: { email: mail },
      server: { admin: false, disableStudio: true },
    },
  })
  await app.init()
  await app.ensureSystemSchema()
  // Else lite's first request grants everything on every table to anon, undoing each REVOKE of the migrations.
  Reflect.set(database.connection, 'rlsState', 'active')
  return app
}
