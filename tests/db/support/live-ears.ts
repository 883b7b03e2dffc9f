import type { SupabaseClient } from '@supabase/supabase-js'
import { expect } from 'vitest'

interface Change {
  table: string
  op: string
  ids: string[]
  origin?: string
}

/** A plain supabase-js client on one private topic, as the console listens. */
export interface Ear {
  heard: Change[]
  states: string[]
}

/** Listens and waits for the answer to the join. */
export async function listen(client: SupabaseClient, topic: string): Promise<Ear> {
  const ear: Ear = { heard: [], states: [] }
  client
    .channel(topic, { config: { private: true } })
    .on('broadcast', { event: 'change' }, (message) => void ear.heard.push(message.payload as Change))
    .subscribe((state) => void ear.states.push(state))
  await expect.poll(() => ear.states.length, { interval: 5 }).toBeGreaterThan(0)
  return ear
}

export const heardOf = (ear: Ear, id: string) => ear.heard.some((change) => change.ids.includes(id))
