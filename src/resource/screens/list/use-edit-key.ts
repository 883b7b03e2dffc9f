import { type RefObject, useEffect, useRef } from 'react'
import { useVerdict } from '@/access/use-verdict'
import type { Definition } from '@/resource/definition/definition.generated'
import type { InlineEdit } from '@/resource/inline/use-inline-edit'

/**
 * The key `c` reaches the list as an event of this name, wherever the menu entry is rendered. When editing
 * ends, the focus moves from its switch to the menu's button.
 */
export function useEditKey(
  definition: Definition,
  { root, isOn, isOffered, toggle }: InlineEdit,
  button: RefObject<HTMLButtonElement | null>,
): void {
  const { allowed } = useVerdict(definition.name, 'edit')
  const isListening = isOffered && allowed
  const latest = useRef(toggle)
  useEffect(() => {
    latest.current = toggle
  })
  useEffect(() => {
    const list = root.current
    if (!list || !isListening) return
    const handleKey = () => latest.current()
    list.addEventListener('edit-cells', handleKey)
    return () => list.removeEventListener('edit-cells', handleKey)
  }, [root, isListening])
  const wasOn = useRef(isOn)
  useEffect(() => {
    if (wasOn.current && !isOn && document.activeElement === document.body) button.current?.focus()
    wasOn.current = isOn
  }, [isOn, button])
}
