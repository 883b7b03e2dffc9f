import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { config } from '@/data/client'
import { type Answer, judge, PROBES, type Verdict } from '@/pages/waf-test/probes'
import { Notice } from '@/ui/notice'
import { PlainButton } from '@/ui/plain-button'
import { StatusTag, type Tone } from '@/ui/status-tag'
import '@/pages/waf-test/waf-test.css'

const TONES: Record<Verdict, Tone> = { blocked: 'success', passed: 'neutral', unreachable: 'error' }

/** A read without a session and without side effects. */
async function send(text: string): Promise<Answer> {
  try {
    const address = new URL('/auth/v1/settings', config.url)
    address.searchParams.set('probe', text)
    const response = await fetch(address, { headers: { apikey: config.key }, cache: 'no-store' })
    return response.status
  } catch {
    return null
  }
}

export function WafTestPage() {
  const { t } = useTranslation('common')
  const [answers, setAnswers] = useState<readonly Answer[]>([])
  const [isRunning, setRunning] = useState(false)

  const handleRun = async () => {
    setRunning(true)
    setAnswers([])
    const found: Answer[] = []
    // Probes run one after the other: a burst would look like a different attack.
    for (const probe of PROBES) {
      found.push(await send(probe.text))
      setAnswers([...found])
    }
    setRunning(false)
  }

  return (
    <main className="waf">
      <h1>{t('waf.title')}</h1>
      <p className="waf-intro">{t('waf.intro')}</p>
      <PlainButton kind="primary" isBusy={isRunning} onClick={() => void handleRun()}>
        {isRunning ? t('waf.running') : t('waf.run')}
      </PlainButton>
      {answers.length > 0 ? <Results answers={answers} /> : null}
      <p>
        <Link to="/login">{t('waf.back')}</Link>
      </p>
    </main>
  )
}

function Results({ answers }: { answers: readonly Answer[] }) {
  const { t } = useTranslation('common')
  const plain = answers[0] ?? null
  const verdicts = answers.map((answer) => judge(plain, answer))
  return (
    <div className="waf-results">
      {answers.length === PROBES.length ? <Summary verdicts={verdicts} /> : null}
      <table className="waf-table">
        <thead>
          <tr>
            <th scope="col">{t('waf.probe')}</th>
            <th scope="col">{t('waf.sent')}</th>
            <th scope="col">{t('waf.result')}</th>
          </tr>
        </thead>
        <tbody>
          {PROBES.slice(0, answers.length).map((probe, index) => {
            const verdict = verdicts[index] ?? 'unreachable'
            const status = answers[index] ?? null
            return (
              <tr key={probe.name}>
                <th scope="row">{t(`waf.probes.${probe.name}`)}</th>
                <td>
                  <code>{probe.text}</code>
                </td>
                <td>
                  <StatusTag tone={TONES[verdict]}>{t(`waf.${verdict}`)}</StatusTag>
                  {status === null ? null : <span className="waf-status">{t('waf.status', { status })}</span>}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function Summary({ verdicts }: { verdicts: readonly Verdict[] }) {
  const { t } = useTranslation('common')
  const blocked = verdicts.filter((verdict) => verdict === 'blocked').length
  if (verdicts.includes('unreachable')) {
    return <Notice tone="error" role="alert" title={t('waf.summaryUnreachable')} />
  }
  const title = blocked === 0 ? t('waf.summaryNone') : t('waf.summarySome', { count: blocked })
  return <Notice tone="info" role="status" title={title} />
}
