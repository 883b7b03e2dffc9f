import { useState } from 'react'
import { useDebounced } from '@/ui/use-debounced'

const PAUSE_MS = 250

/**
 * What is typed into a picker whose choices the server finds: `typed` for its box, `text` to ask for once
 * typing paused. While `isTyping`, the choices at hand belong to other words, and none of them may be chosen.
 */
export function useSearchText() {
  const [typed, setTyped] = useState('')
  const wanted = typed.trim()
  const text = useDebounced(wanted, wanted === '' ? 0 : PAUSE_MS)
  return { typed, setTyped, text, isTyping: text !== wanted }
}
