import { Input as AntInput } from 'antd'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { inputAttributes, shownText } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind-interface'
import { MarkdownText } from '@/resource/fields/markdown/view'
import { PartLoading } from '@/ui/loading-state'
import { LimitCounter } from '@/ui/text-field'

/** Written as text, looked at on demand. The text stays mounted, so that its caret and undo survive a look. */
export function Input(props: InputProps<'markdown'>) {
  const { t } = useTranslation('engine')
  const [isPreview, setPreview] = useState(false)
  const { max_length: maxLength, rows = 8 } = props.field
  const value = shownText(props.value)
  return (
    <div className="k-markdown-editor">
      <AntInput.TextArea
        {...inputAttributes(props)}
        className={isPreview ? 'k-hidden' : undefined}
        value={value}
        rows={rows}
        maxLength={maxLength}
        onChange={(event) => props.onChange?.(event.target.value)}
      />
      <LimitCounter length={value.length} max={maxLength} />
      {isPreview ? (
        <section className="k-markdown-preview" aria-label={t('markdown.preview')}>
          {value.trim() === '' ? (
            <span className="k-soft">{t('markdown.empty')}</span>
          ) : (
            <Suspense fallback={<PartLoading rows={3} />}>
              <MarkdownText text={value} />
            </Suspense>
          )}
        </section>
      ) : null}
      <div className="k-markdown-tools">
        <button
          type="button"
          className="k-text-button"
          aria-pressed={isPreview}
          onClick={() => setPreview(!isPreview)}
        >
          {t('markdown.preview')}
        </button>
        <span className="k-soft">{t('markdown.hint')}</span>
      </div>
    </div>
  )
}
