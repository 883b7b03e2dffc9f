import { useEffect, useRef, useState } from 'react'

/**
 * Holds the text being typed. The text is sent once typing pauses, and at once by `send`. Back and a removed filter
 * reset it to the filter in force; the answer to a sent text does not, because typing may be ahead of it.
 */
export function useTyped(value: string, pauseMs: number, onSend: (text: string) => void) {
  const [typed, setTyped] = useState(value)
  const sent = useRef(value)
  const timer = useRef<number | undefined>(undefined)

  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    window.clearTimeout(timer.current)
    setTyped(value)
  }, [value])
  useEffect(() => () => window.clearTimeout(timer.current), [])
  // Other changes during the pause are kept: the text is added to the list's current state.
  const latest = useRef(onSend)
  useEffect(() => {
    latest.current = onSend
  })

  const send = (text = typed) => {
    window.clearTimeout(timer.current)
    const next = text.trim()
    if (next === sent.current) return
    sent.current = next
    latest.current(next)
  }
  const type = (text: string) => {
    setTyped(text)
    window.clearTimeout(timer.current)
    const { pathname } = window.location
    // Following a link changes the address before its page has loaded: sending the text would bring this list back.
    timer.current = window.setTimeout(
      () => {
        if (window.location.pathname === pathname) send(text)
      },
      text === '' ? 0 : pauseMs,
    )
  }
  return { typed, type, send }
}
