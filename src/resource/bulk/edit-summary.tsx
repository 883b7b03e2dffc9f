import { Fragment, type ReactNode } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { useLanguage } from '@/i18n/use-language'
import type { EditStep } from '@/resource/bulk/edit-plan'
import type { Definition } from '@/resource/definition/definition.generated'
import { FieldLinksContext } from '@/resource/fields/field-links'
import { MergeSide } from '@/resource/screens/form/merge-side'
import { useWords } from '@/resource/words'

interface EditSummaryProps {
  definition: Definition
  steps: readonly EditStep[]
  count: number
}

/** One sentence that says what the edit will do. */
export function EditSummary({ definition, steps, count }: EditSummaryProps) {
  const { t } = useTranslation('bulk')
  const words = useWords(definition)
  const language = useLanguage()
  const phrase = ({ name, field, kind, value }: EditStep): ReactNode => (
    <Trans
      t={t}
      i18nKey={`plan.${kind}`}
      values={{ field: words.field(name) }}
      components={{
        name: <strong />,
        value: (
          // A press on it must not lead away from the dialog.
          <FieldLinksContext value={false}>
            <MergeSide {...{ definition, name, field }} values={{ [name]: value }} dense />
          </FieldLinksContext>
        ),
      }}
    />
  )
  const list = new Intl.ListFormat(language, { type: 'conjunction' })
  const places = steps.map((_step, index) => String(index))
  return (
    <p className="k-bulk-plan" role="status">
      <Trans
        t={t}
        i18nKey="plan.rows"
        values={{ rows: words.counted(count) }}
        components={{
          changes: (
            <span>
              {list.formatToParts(places).map(({ type, value }, index) => {
                const step = type === 'element' ? steps[Number(value)] : undefined
                // biome-ignore lint/suspicious/noArrayIndexKey: parts of one sentence have no identity but their place
                return <Fragment key={index}>{step ? phrase(step) : value}</Fragment>
              })}
            </span>
          ),
        }}
      />
    </p>
  )
}
