import { act } from 'react'
import { vi } from 'vitest'
import { supabase } from '@/data/client'

type Listener = (message: { payload: object }) => void

/** Listeners by topic, kept between tests: a page stays joined for a few seconds after it left a topic. */
const listeners = new Map<string, Listener>()

/**
 * Answers each subscription without a socket. `tell` sends a message as the database does.
 * @throws Error when nobody listens to the topic
 */
export function fakeTopics(): { tell: (topic: string, payload: object) => void } {
  vi.spyOn(supabase.realtime, 'setAuth').mockResolvedValue()
  vi.spyOn(supabase, 'channel').mockImplementation((topic) => {
    const channel = {
      topic,
      on: (_type: string, { event }: { event: string }, listener: Listener) => {
        // Versions of the console come as events of their own.
        if (event === 'change') listeners.set(topic, listener)
        return channel
      },
      subscribe: () => channel,
      unsubscribe: async () => 'ok',
      teardown: () => undefined,
    }
    return channel as never
  })
  return {
    tell: (topic, payload) => {
      const listener = listeners.get(topic)
      if (!listener) throw new Error(`Nobody listens to ${topic}`)
      act(() => listener({ payload }))
    },
  }
}
