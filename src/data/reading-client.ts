import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { config, supabase } from '@/data/client'

/** A client in the same session that asks in a way of its own. It only reads: what it wrote would not be noted. */
export function readingClient(fetch: typeof globalThis.fetch): SupabaseClient {
  return createClient(config.url || 'http://localhost', config.key || 'missing-key', {
    global: { fetch },
    accessToken: async () => (await supabase.auth.getSession()).data.session?.access_token ?? null,
  })
}
