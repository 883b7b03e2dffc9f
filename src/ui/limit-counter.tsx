import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import '@/ui/limit-counter.css'

/** From this part of the limit on, the counter is shown. */
const NEAR = 0.8

type Field = HTMLInputElement | HTMLTextAreaElement

const isField = (target: EventTarget | null): target is Field =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement

/** Whether the last paste into the field beside `mark` was longer than what `maxLength` lets in: browsers cut it without a word. */
function useCutPaste(max: number | undefined) {
  const mark = useRef<HTMLSpanElement>(null)
  const [isCut, setCut] = useState(false)
  useEffect(() => {
    const box = mark.current?.parentElement
    if (!box || max === undefined) return
    const handlePaste = ({ target, clipboardData }: ClipboardEvent) => {
      if (!isField(target)) return
      const replaced = (target.selectionEnd ?? 0) - (target.selectionStart ?? 0)
      const pasted = clipboardData?.getData('text').length ?? 0
      setCut(target.value.length - replaced + pasted > max)
    }
    const handleInput = (event: Event) => {
      if ((event as InputEvent).inputType !== 'insertFromPaste') setCut(false)
    }
    box.addEventListener('paste', handlePaste)
    box.addEventListener('input', handleInput)
    return () => {
      box.removeEventListener('paste', handlePaste)
      box.removeEventListener('input', handleInput)
    }
  }, [max])
  return { mark, isCut }
}

/**
 * Shows how much of a text's limit is used once it is close, and that a pasted text was cut: `maxLength` alone stops
 * input without a message. It follows its field in the same element.
 */
export function LimitCounter({ length, max }: { length: number; max: number | undefined }) {
  const { t } = useTranslation('common')
  const { mark, isCut } = useCutPaste(max)
  const isShown = max !== undefined && length >= max * NEAR
  return (
    <span ref={mark} className={isShown ? 'k-limit' : undefined} data-full={isShown && length >= max}>
      {isShown ? (
        <>
          {isCut && length >= max ? <span role="alert">{t('cut', { max })} </span> : null}
          <span aria-hidden="true">{`${length}/${max}`}</span>
          <span className="k-visually-hidden" role="status">
            {t('limit', { length, max })}
          </span>
        </>
      ) : null}
    </span>
  )
}
