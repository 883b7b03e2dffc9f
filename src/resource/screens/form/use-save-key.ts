import { useEffect, useRef } from 'react'

/** Ctrl+S, or Cmd+S, saves instead of the browser's "save page". */
export function useSaveKey(onSave: () => void): void {
  const handler = useRef(onSave)
  useEffect(() => {
    handler.current = onSave
  })
  useEffect(() => {
    const handleKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      event.preventDefault()
      handler.current()
    }
    window.addEventListener('keydown', handleKey)
    return () => window.removeEventListener('keydown', handleKey)
  }, [])
}
