import { useEffect, useRef } from 'react'

type Save = { current: () => void }

/** With several open forms, the keys apply to the one that was opened last. */
const open: Save[] = []

function isSaveKey(event: KeyboardEvent): boolean {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return false
  return event.key.toLowerCase() === 's' || event.key === 'Enter'
}

/** Ctrl+S and Ctrl+Enter, or with Cmd, save instead of what the browser or an editor would do with them. */
export function useSaveKey(onSave: () => void): void {
  const handler = useRef(onSave)
  useEffect(() => {
    handler.current = onSave
  })
  useEffect(() => {
    open.push(handler)
    const handleKey = (event: KeyboardEvent) => {
      if (!isSaveKey(event) || open.at(-1) !== handler) return
      event.preventDefault()
      event.stopPropagation()
      if (!event.repeat) handler.current()
    }
    // In the capture phase: a code editor would insert a line on Ctrl+Enter.
    window.addEventListener('keydown', handleKey, true)
    return () => {
      open.splice(open.indexOf(handler), 1)
      window.removeEventListener('keydown', handleKey, true)
    }
  }, [])
}
