import { Alert } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/language/definition.generated'
import type { ResourceWords } from '@/resource/language/words'
import { FormFields } from '@/resource/screens/form/form-fields'
import { ShowTabs } from '@/resource/screens/form/show-tabs'
import type { FormParts } from '@/resource/screens/form/use-form-parts'

/** In a divided form an error may be out of view, so each is listed with its section and links to it. */
export function ErrorSummary({ parts, words }: { parts: FormParts; words: ResourceWords }) {
  const { t } = useTranslation('engine')
  const { mistakes, layout, reveal } = parts
  if (mistakes.length === 0) return null
  return (
    <Alert
      className="k-form-notice"
      type="error"
      showIcon
      role="alert"
      title={t('form.mistakes', { count: mistakes.length })}
      description={
        <ul className="k-form-mistakes">
          {mistakes.map(({ field, message, part }) => (
            <li key={field}>
              <button type="button" className="k-link-button" onClick={() => reveal(field)}>
                {part ? `${partLabel(layout.kind, part.name, words)}: ` : ''}
                {words.field(field)}
              </button>{' '}
              {message}
            </li>
          ))}
        </ul>
      }
    />
  )
}

function partLabel(kind: FormParts['layout']['kind'], name: string, words: ResourceWords): string {
  return kind === 'steps' ? words.step(name) : words.tab(name)
}

interface FormPanelsProps {
  definition: Definition
  words: ResourceWords
  parts: FormParts
  /** A new record goes through the steps in order; an existing one in any order. */
  isWizard: boolean
  row?: Row
  fixed?: readonly string[]
  disabled: boolean
}

/** All parts stay mounted, one of them visible, so that input and errors are kept. */
export function FormPanels({ definition, words, parts, isWizard, ...rest }: FormPanelsProps) {
  const { t } = useTranslation('engine')
  const { layout, current, mistakes } = parts
  const only = layout.parts[0]
  if (layout.kind === 'plain')
    return only ? <FormFields definition={definition} sections={only.sections} {...rest} /> : null
  const tabs = layout.parts.map((part) => ({
    name: part.name,
    label: partLabel(layout.kind, part.name, words),
    errors: mistakes.filter((mistake) => mistake.part === part).length,
  }))
  return (
    <>
      {isWizard ? (
        <Steps tabs={tabs} parts={parts} />
      ) : (
        <ShowTabs
          label={t('form.parts')}
          prefix="form"
          tabs={tabs}
          current={current.name}
          onChange={parts.choose}
        />
      )}
      {layout.parts.map((part) => (
        <div
          key={part.name}
          className="k-form-part"
          hidden={part !== current}
          {...(isWizard
            ? {}
            : {
                role: 'tabpanel',
                id: `form-panel-${part.name}`,
                'aria-labelledby': `form-tab-${part.name}`,
              })}
        >
          <FormFields definition={definition} sections={part.sections} {...rest} />
        </div>
      ))}
    </>
  )
}

interface StepsProps {
  tabs: { name: string; label: string; errors: number }[]
  parts: FormParts
}

function Steps({ tabs, parts }: StepsProps) {
  const { t } = useTranslation('engine')
  const { current, reached, choose } = parts
  const at = tabs.findIndex(({ name }) => name === current.name)
  return (
    <nav aria-label={t('form.steps')}>
      <ol className="k-steps">
        {tabs.map(({ name, label, errors }, index) => (
          <li key={name} data-state={index === at ? 'current' : index < at ? 'done' : 'ahead'}>
            <button
              type="button"
              aria-current={index === at ? 'step' : undefined}
              disabled={index > reached}
              onClick={() => choose(name)}
            >
              <span className="k-step-number" aria-hidden="true">
                {index + 1}
              </span>
              {label}
              {errors > 0 ? (
                <span className="k-tab-errors">{t('form.mistakes', { count: errors })}</span>
              ) : null}
            </button>
          </li>
        ))}
      </ol>
      <p className="k-visually-hidden" role="status">
        {t('form.stepOf', { step: at + 1, count: tabs.length, name: tabs[at]?.label })}
      </p>
    </nav>
  )
}
