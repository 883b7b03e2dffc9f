import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { config, supabase } from '@/data/client'
import { renewingFetch } from '@/data/session-renewal'

/** A client in the same session with its own `fetch`. For reads only: its writes would not be tracked as own writes. */
export function readingClient(fetch: typeof globalThis.fetch): SupabaseClient {
  return createClient(config.url || 'http://localhost', config.key || 'missing-key', {
    global: { fetch: renewingFetch(fetch) },
    accessToken: async () => (await supabase.auth.getSession()).data.session?.access_token ?? null,
  })
}
