import { Button } from 'antd'
import { useLayoutEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { fillPlaceholders, PLACEHOLDERS, unknownPlaceholder } from '@/pages/tickets/canned-replies'
import type { InputProps } from '@/resource/fields/kind-interface'
import { Input } from '@/resource/fields/markdown/input'
import { MarkdownText } from '@/resource/fields/markdown/view'
import { useDebounced } from '@/ui/use-debounced'
import css from './ticket-settings.module.css'

const PAUSE_MS = 400

/** The text of a canned reply, with buttons for its placeholders and what a requester would read. */
export function CannedReplyField(props: InputProps<'markdown'>) {
  const { t } = useTranslation(['tickets', 'errors'])
  const text = typeof props.value === 'string' ? props.value : ''
  const settled = useDebounced(text, PAUSE_MS)
  const unknown = unknownPlaceholder(settled)
  const next = useRef<number | null>(null)
  const area = () => {
    const found = props.id ? document.getElementById(props.id) : null
    return found instanceof HTMLTextAreaElement ? found : null
  }
  // The caret goes behind the placeholder, so that the next key writes and does not press the button again.
  useLayoutEffect(() => {
    if (next.current === null) return
    area()?.focus()
    area()?.setSelectionRange(next.current, next.current)
    next.current = null
  })
  const insert = (placeholder: string) => {
    const { selectionStart: start = text.length, selectionEnd: end = text.length } = area() ?? {}
    next.current = start + placeholder.length
    props.onChange?.(text.slice(0, start) + placeholder + text.slice(end))
  }
  const sample = fillPlaceholders(settled, {
    'requester.name': t('preview.requester'),
    'ticket.number': '1042',
    'device.name': t('preview.device'),
    'agent.name': t('preview.agent'),
    'company.name': t('preview.company'),
  })
  return (
    <>
      <fieldset className={css.placeholders} aria-label={t('preview.insert')}>
        {PLACEHOLDERS.map((name) => (
          <Button
            key={name}
            size="small"
            disabled={props.disabled === true}
            onClick={() => insert(`{${name}}`)}
          >
            {`{${name}}`}
          </Button>
        ))}
      </fieldset>
      <Input {...props} />
      {unknown ? (
        <div role="status" className={css.problem}>
          {t('preview.unknown', { placeholder: unknown })}
        </div>
      ) : null}
      {settled.trim() === '' ? null : (
        <section className={css.preview} aria-label={t('preview.title')}>
          <h4 className={css.heading}>{t('preview.title')}</h4>
          <MarkdownText text={sample} />
        </section>
      )}
    </>
  )
}
