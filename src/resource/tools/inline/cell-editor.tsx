import { useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FieldInput } from '@/resource/fields/inputs'
import { kindOf } from '@/resource/fields/kinds'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import { recordTitle } from '@/resource/request/query/title'
import { type QueuedRow, recordOf } from '@/resource/tools/inline/edit-queue'
import type { Move } from '@/resource/tools/inline/use-cell-grid'

interface CellEditorProps {
  definition: Definition
  name: string
  field: Field
  row: QueuedRow
  onKeep: (value: unknown, move: Move) => void
  onLeave: () => void
}

/** These belong to the editor, though they are elsewhere in the document. */
const POPUPS = '.ant-select-dropdown, .ant-picker-dropdown, .ant-modal-root, .ant-modal-wrap, .ant-popover'

/** Edits a value with the same control as the form. */
export function CellEditor({ definition, name, field, row, onKeep, onLeave }: CellEditorProps) {
  const { t } = useTranslation('inline')
  const words = useWords(definition)
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const record = recordOf(row)
  const [value, setValue] = useState<unknown>(record[name] ?? null)
  const typed = useRef(value)
  const isDone = useRef(false)

  const keep = (move: Move) => {
    if (isDone.current) return
    isDone.current = true
    onKeep(typed.current, move)
  }
  const leave = () => {
    isDone.current = true
    onLeave()
  }
  const handleType = (next: unknown) => {
    typed.current = next
    setValue(next)
  }
  const handleChange = (next: unknown) => {
    handleType(next)
    if (kindOf(field.type).commitsOnChange) keep('stay')
  }
  const acts = useRef({ keep, leave })
  useEffect(() => {
    acts.current = { keep, leave }
  })

  useEffect(() => {
    const element = box.current
    if (!element) return
    return listen(element, field, acts)
  }, [field])
  // The control comes by itself, when it is loaded.
  useEffect(() => {
    const focus = () => {
      const control = document.getElementById(id)
      control?.focus()
      // It may be wider than its cell, at the edge of what is in view.
      if (control) box.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      if (control instanceof HTMLInputElement && control.type === 'text') control.select()
      return control !== null
    }
    if (focus() || !box.current) return
    const observer = new MutationObserver(() => {
      if (focus()) observer.disconnect()
    })
    observer.observe(box.current, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [id])

  return (
    <div ref={box} className="k-cell-editor">
      <label className="k-visually-hidden" htmlFor={id}>
        {t('editor', { field: words.field(name), title: recordTitle(definition, record) })}
      </label>
      <FieldInput
        id={id}
        field={field}
        name={name}
        resource={definition.name}
        record={record}
        value={value}
        onChange={handleChange}
        onType={handleType}
        isOpenAtFirst
        aria-required={field.required === true}
      />
    </div>
  )
}

interface Acts {
  current: { keep: (move: Move) => void; leave: () => void }
}

/** The document's own events are used: a press in a dialog opened from the control is not the cell's. */
function listen(element: HTMLElement, field: Field, acts: Acts): () => void {
  const { commitsOnChange, isList, isMultiline } = kindOf(field.type)
  const isListOpen = () => element.querySelector('[role="combobox"][aria-expanded="true"]') !== null
  const handleEnter = (event: KeyboardEvent) => {
    if (isMultiline) {
      if (event.shiftKey || event.altKey) return
      event.preventDefault()
      acts.current.keep('stay')
      return
    }
    if (isListOpen()) {
      // Enter on what is chosen already closes the list and changes nothing.
      if (commitsOnChange)
        window.setTimeout(() => {
          if (!isListOpen()) acts.current.keep('stay')
        })
      return
    }
    if (isList) {
      // Closed, it would open again.
      event.preventDefault()
      event.stopPropagation()
      acts.current.keep('stay')
      return
    }
    // The control takes what was typed first, or opens its list.
    window.setTimeout(() => {
      if (!isListOpen()) acts.current.keep('stay')
    })
  }
  const handleKey = (event: KeyboardEvent) => {
    if (event.isComposing) return
    if (event.key === 'Enter') handleEnter(event)
    // Where several are chosen from a list, Escape closes the list first.
    else if (event.key === 'Escape' && (commitsOnChange || !isListOpen())) {
      event.preventDefault()
      event.stopPropagation()
      acts.current.leave()
    } else if (event.key === 'Tab') {
      event.preventDefault()
      acts.current.keep(event.shiftKey ? 'previous' : 'next')
    }
  }
  const isOwn = (target: EventTarget | null) =>
    target instanceof Element && (element.contains(target) || target.closest(POPUPS) !== null)
  const handleBlur = (event: FocusEvent) => {
    if (isOwn(event.relatedTarget)) return
    window.setTimeout(() => {
      if (!isOwn(document.activeElement)) acts.current.keep('none')
    })
  }
  // A dialog that was opened from the control may leave the focus nowhere: then no focus leaves the editor.
  const handleClick = (event: MouseEvent) => {
    if (!isOwn(event.target) && !isOwn(document.activeElement)) acts.current.keep('none')
  }
  element.addEventListener('keydown', handleKey, true)
  element.addEventListener('focusout', handleBlur)
  document.addEventListener('click', handleClick, true)
  return () => {
    document.removeEventListener('click', handleClick, true)
    element.removeEventListener('keydown', handleKey, true)
    element.removeEventListener('focusout', handleBlur)
  }
}
