import { useEffect, useRef, useState } from 'react'
import { joinPresence, type Presence } from '@/data/live'

/** A page says again that it is there; one that was closed without a word is forgotten after three silences. */
const SAY_EVERY_MS = 20_000
const FORGET_AFTER_MS = 65_000

export interface Present {
  user: string
  name: string
  isWriting: boolean
}

interface Heard extends Presence {
  topic: string
  at: number
}

/** Others on the record, each once, writing before looking. Pure. */
export function presentPeople(heard: Iterable<Heard>, self: string, now: number): Present[] {
  const people = new Map<string, Present>()
  for (const { user, name, state, at } of heard) {
    if (user === self || state === 'gone' || now - at > FORGET_AFTER_MS) continue
    const isWriting = state === 'writing' || people.get(user)?.isWriting === true
    people.set(user, { user, name, isWriting })
  }
  return [...people.values()].sort(
    (one, other) => Number(other.isWriting) - Number(one.isWriting) || one.name.localeCompare(other.name),
  )
}

interface Topic {
  /** The kind whose topic it is; null for the record's own. */
  kind: string | null
  topic: string
}

/**
 * Gives the other people who have the record open. `writing` is the kind that the user writes: one with lines of its own is told on its own
 * topic, and on the record's the user only looks.
 */
export function usePresence(
  topics: readonly Topic[],
  self: { id: string; name: string },
  writing: string | null,
): Present[] {
  const heard = useRef(new Map<string, Heard>())
  const [present, setPresent] = useState<Present[]>([])
  const say = useRef<(state?: 'here' | 'gone') => void>(() => undefined)
  const current = useRef(writing)
  useEffect(() => {
    current.current = writing
    say.current()
  }, [writing])
  const { id, name } = self
  useEffect(() => {
    const show = () => setPresent(presentPeople(heard.current.values(), id, Date.now()))
    const own = new Set(topics.flatMap(({ kind }) => kind ?? []))
    const stateOn = (kind: string | null): 'looking' | 'writing' => {
      const writes = current.current
      if (writes === null) return 'looking'
      return (own.has(writes) ? writes : null) === kind ? 'writing' : 'looking'
    }
    const joined = topics.map(({ kind, topic }) => {
      const channel = joinPresence(topic, (told) => {
        if (told === 'joined') return channel.say({ user: id, name, state: 'here' })
        if (told.state === 'gone')
          for (const [key, each] of heard.current)
            if (
              each.topic === topic &&
              each.user === told.user &&
              (told.page === '*' || each.page === told.page)
            )
              heard.current.delete(key)
        if (told.state !== 'gone')
          heard.current.set(`${topic} ${told.user} ${told.page}`, { ...told, topic, at: Date.now() })
        if (told.state === 'here') channel.say({ user: id, name, state: stateOn(kind) })
        show()
      })
      // Another part of the page may have joined the topic before.
      channel.say({ user: id, name, state: 'here' })
      return { kind, channel }
    })
    say.current = (state) => {
      for (const { kind, channel } of joined) channel.say({ user: id, name, state: state ?? stateOn(kind) })
    }
    const timer = window.setInterval(() => {
      say.current()
      show()
    }, SAY_EVERY_MS)
    const onHide = () => say.current('gone')
    window.addEventListener('pagehide', onHide)
    return () => {
      window.clearInterval(timer)
      window.removeEventListener('pagehide', onHide)
      say.current('gone')
      say.current = () => undefined
      for (const { channel } of joined) channel.leave()
      heard.current.clear()
    }
  }, [topics, id, name])
  return present
}
