import { Radio, Select } from 'antd'
import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { DATE_FORMS } from '@/resource/fields/date/written-dates'
import type { Definition } from '@/resource/language/definition.generated'
import type { ResourceWords } from '@/resource/language/words'
import { canBeKey, type ImportMode } from '@/resource/tools/import/import-fields'
import type { ImportPlanning } from '@/resource/tools/import/use-import-plan'
import { NUMBER_FORMS } from '@/resource/tools/import/written-forms'
import { useCompanyScope } from '@/session/use-company-scope'

interface PlanQuestionsProps {
  definition: Definition
  words: ResourceWords
  modes: readonly ImportMode[]
  planning: ImportPlanning
  /** Asked for where all companies are in view. */
  company: { id: string | null; onChange: (id: string) => void } | null
}

/** How values are written, what tells that a record exists, and what then happens. */
export function PlanQuestions({ definition, words, modes, planning, company }: PlanQuestionsProps) {
  const { t } = useTranslation('import')
  const id = useId()
  const { companies } = useCompanyScope()
  const { plan, questions, problems, change } = planning
  const keyable = plan.columns.filter((name) => name !== null && canBeKey(definition.fields[name]))
  const hint = problems.includes('keysNeeded')
    ? t('columns.keysNeeded')
    : plan.keys.length === 0
      ? t('columns.keysNone')
      : undefined
  return (
    <div className="k-import-questions">
      {company ? (
        <Question
          id={`${id}-company`}
          label={t('columns.company')}
          hint={company.id === null ? t('columns.chooseCompany') : undefined}
        >
          <Select
            id={`${id}-company`}
            value={company.id}
            showSearch={{ optionFilterProp: 'label' }}
            options={companies.map(({ id: value, name }) => ({ value, label: name }))}
            onChange={(value) => value !== null && company.onChange(value)}
          />
        </Question>
      ) : null}
      <Question id={`${id}-mode`} label={t('columns.mode')}>
        <Select
          id={`${id}-mode`}
          value={plan.mode}
          options={modes.map((value) => ({ value, label: t(`columns.modes.${value}`) }))}
          onChange={(mode) => change({ mode })}
        />
      </Question>
      <Question id={`${id}-keys`} label={t('columns.keys')} hint={hint}>
        <Select
          id={`${id}-keys`}
          mode="multiple"
          value={[...plan.keys]}
          status={problems.includes('keysNeeded') ? 'error' : undefined}
          options={keyable.map((value) => ({ value: String(value), label: words.field(String(value)) }))}
          onChange={(keys) => change({ keys })}
        />
      </Question>
      {questions.number.isAsked ? (
        <Question
          id={`${id}-numbers`}
          label={t('columns.numbers')}
          hint={questions.number.isOpen ? t('columns.open') : undefined}
        >
          <Select
            id={`${id}-numbers`}
            value={plan.forms.number}
            options={NUMBER_FORMS.map((value) => ({ value, label: t(`columns.numberForms.${value}`) }))}
            onChange={(number) => change({ forms: { ...plan.forms, number } })}
          />
        </Question>
      ) : null}
      {questions.date.isAsked ? (
        <Question
          id={`${id}-dates`}
          label={t('columns.dates')}
          hint={questions.date.isOpen ? t('columns.open') : undefined}
        >
          <Select
            id={`${id}-dates`}
            value={plan.forms.date}
            options={DATE_FORMS.map((value) => ({ value, label: t(`columns.dateForms.${value}`) }))}
            onChange={(date) => change({ forms: { ...plan.forms, date } })}
          />
        </Question>
      ) : null}
      <fieldset className="k-import-question">
        <legend>{t('columns.empties')}</legend>
        <Radio.Group
          name={`${id}-clears`}
          value={plan.clears}
          options={[
            { value: false, label: t('columns.clears.keep') },
            { value: true, label: t('columns.clears.clear') },
          ]}
          onChange={({ target }) => change({ clears: target.value === true })}
        />
      </fieldset>
    </div>
  )
}

function Question(props: { id: string; label: string; hint?: string; children: ReactNode }) {
  return (
    <div className="k-import-question">
      <label htmlFor={props.id}>{props.label}</label>
      {props.children}
      {props.hint ? <span className="k-import-hint">{props.hint}</span> : null}
    </div>
  )
}
