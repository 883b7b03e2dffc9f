import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { authFetch } from '@/data/auth-answers'
import { deadlockFetch } from '@/data/deadlock'
import { originFetch } from '@/data/origin'
import { renewingFetch } from '@/data/session-renewal'

interface ConsoleConfig {
  /** Origin of the backend; empty means the origin of the page. */
  url: string
  /** The publishable key, which every request carries. It is not a secret. */
  key: string
}

/**
 * The embedded server writes the backend's address into the page, so that one build serves every
 * installation; a console built for a CDN has it from the build's environment instead.
 */
function readConfig(): ConsoleConfig {
  const fromBuild: ConsoleConfig = {
    url: import.meta.env?.VITE_SUPABASE_URL ?? '',
    key: import.meta.env?.VITE_SUPABASE_KEY ?? '',
  }
  if (typeof document === 'undefined') return fromBuild
  const content = document.querySelector('meta[name="konsol-config"]')?.getAttribute('content')
  const fromPage = parseConfig(content)
  return {
    url: fromPage.url || fromBuild.url || window.location.origin,
    key: fromPage.key || fromBuild.key,
  }
}

function parseConfig(content: string | null | undefined): Partial<ConsoleConfig> {
  if (!content) return {}
  try {
    const parsed: unknown = JSON.parse(content)
    return typeof parsed === 'object' && parsed !== null ? (parsed as Partial<ConsoleConfig>) : {}
  } catch {
    return {}
  }
}

export const config: ConsoleConfig = readConfig()

/** The one client of the page. Outside a browser (unit tests) its address is never reached. */
export const supabase: SupabaseClient = createClient(
  config.url || 'http://localhost',
  config.key || 'missing-key',
  { global: { fetch: renewingFetch(authFetch(deadlockFetch(originFetch))) } },
)

/** A client in the same session with its own `fetch`. For reads only: its writes would not be tracked as own writes. */
export function readingClient(fetch: typeof globalThis.fetch): SupabaseClient {
  return createClient(config.url || 'http://localhost', config.key || 'missing-key', {
    global: { fetch: renewingFetch(fetch) },
    accessToken: async () => (await supabase.auth.getSession()).data.session?.access_token ?? null,
  })
}
