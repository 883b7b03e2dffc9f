import { Alert, Button, Spin } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import type { Definition } from '@/resource/language/definition.generated'
import type { ResourceWords } from '@/resource/language/words'
import { MistakeTable } from '@/resource/tools/import/mistake-table'
import type { CheckReport, RunState } from '@/resource/tools/import/use-import-run'
import { useErrorText } from '@/resource/use-error-text'

interface CheckStepProps {
  definition: Definition
  words: ResourceWords
  state: RunState
  /** How many rows the file has. */
  count: number
  onCheck: () => void
}

/** Shows the import's plan, its progress, and its result. */
export function CheckStep({ definition, words, state, count, onCheck }: CheckStepProps) {
  const { t } = useTranslation('import')
  const language = useLanguage()
  const errorText = useErrorText()
  const rows = formatNumber(count, language)
  switch (state.phase) {
    case 'idle':
      return null
    case 'checking':
      return <Waiting text={t('check.running', { count, rows })} />
    case 'writing':
      return <Waiting text={t('run.running', { count, rows })} />
    case 'uncheckable':
      return (
        <div className="k-import" role="alert">
          {state.before === 'lost' ? <Alert type="warning" showIcon title={t('run.lostText')} /> : null}
          <Alert
            type="error"
            showIcon
            title={t('check.failed')}
            description={errorText(state.error)}
            action={<Button onClick={onCheck}>{t('check.again')}</Button>}
          />
        </div>
      )
    case 'lost':
      return (
        <div className="k-import" role="alert">
          <Alert
            type="warning"
            showIcon
            title={t('run.lost')}
            description={t('run.lostText')}
            action={<Button onClick={onCheck}>{t('check.again')}</Button>}
          />
        </div>
      )
    case 'refused':
      return (
        <div className="k-import" role="alert">
          <Alert
            type="error"
            showIcon
            title={t('run.failed')}
            description={errorText(state.error)}
            action={<Button onClick={onCheck}>{t('check.again')}</Button>}
          />
        </div>
      )
    case 'checked':
      return <Report {...{ definition, words }} report={state.report} before={state.before} />
    case 'done': {
      const { inserted, updated, same } = state.answer
      const figures = (number: number) => formatNumber(number, language)
      return (
        <div className="k-import" role="status">
          <Alert
            type="success"
            showIcon
            title={t('run.done')}
            description={t('run.doneText', {
              inserted: figures(inserted),
              updated: figures(updated),
              same: figures(same),
            })}
          />
        </div>
      )
    }
  }
}

function Waiting({ text }: { text: string }) {
  return (
    <div className="k-import-waiting" role="status">
      <Spin />
      <p>{text}</p>
    </div>
  )
}

interface ReportProps {
  definition: Definition
  words: ResourceWords
  report: CheckReport
  before: 'lost' | 'changed' | null
}

function Report({ definition, words, report, before }: ReportProps) {
  const { t } = useTranslation('import')
  const language = useLanguage()
  const { answer, mistakes, checked } = report
  const counts = [
    ['new', answer.inserted],
    ['changed', answer.updated],
    ['same', answer.same],
    ['wrong', mistakes.length],
  ] as const
  const isSame = mistakes.length === 0 && answer.inserted + answer.updated === 0
  return (
    <div className="k-import">
      {before === 'lost' && mistakes.length === 0 ? (
        <Alert
          type={isSame ? 'success' : 'info'}
          showIcon
          title={isSame ? t('run.wasWritten') : t('run.wasNotWritten')}
          role="status"
        />
      ) : null}
      {before === 'changed' ? (
        <Alert type="warning" showIcon title={t('run.changedMeanwhile')} role="status" />
      ) : null}
      <div role="status">
        <ul className="k-import-counts" aria-label={t('check.summary')}>
          {counts.map(([kind, count]) => (
            <li key={kind} data-kind={count > 0 ? kind : 'none'}>
              {t(`check.${kind}`, {
                count,
                rows: `${formatNumber(count, language)}${kind === 'wrong' && answer.more ? '+' : ''}`,
              })}
            </li>
          ))}
        </ul>
        <p>{mistakes.length > 0 ? t('check.bad') : isSame ? t('check.allSame') : t('check.good')}</p>
      </div>
      {checked.formulas.count > 0 ? (
        <Alert
          type="warning"
          showIcon
          title={t('check.formulas', {
            count: checked.formulas.count,
            lines:
              checked.formulas.count > checked.formulas.places.length
                ? t('andMore', { places: checked.formulas.places.join(', ') })
                : checked.formulas.places.join(', '),
          })}
        />
      ) : null}
      {mistakes.length > 0 ? (
        <MistakeTable {...{ definition, words, mistakes }} hasMore={answer.more} />
      ) : null}
    </div>
  )
}
