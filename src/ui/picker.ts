import { useState } from 'react'
import { useDebounced } from '@/ui/use-debounced'

const PAUSE_MS = 250

/**
 * The search of a picker whose choices the server finds. `text` is what to ask for, once typing paused. While
 * `isTyping`, the choices at hand belong to other words, and none of them may be chosen. `select` goes to
 * antd's Select, `end` is called when something was chosen: what was searched for is done with, and the list
 * no longer covers what comes below; typing opens it again.
 */
export function useSearchText({ isOpenAtFirst = false }: { isOpenAtFirst?: boolean } = {}) {
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  const wanted = typed.trim()
  const text = useDebounced(wanted, wanted === '' ? 0 : PAUSE_MS)
  const end = () => {
    if (typed !== '') setOpen(false)
    setTyped('')
  }
  const select = {
    open: isOpen,
    onOpenChange: setOpen,
    showSearch: { filterOption: false, searchValue: typed, onSearch: setTyped },
    onBlur: () => setTyped(''),
  } as const
  return { text, isTyping: text !== wanted, isOpen, end, select }
}

/** How many chosen values have no room. antd's own text says "+ 0 ..." where all of them do. */
export function omittedTags(omitted: readonly unknown[]): string | null {
  return omitted.length > 0 ? `+${omitted.length}` : null
}
