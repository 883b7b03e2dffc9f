import { Alert, Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { namesShown, type Selection } from './targets'

const NAMES_FIRST = 8

type Props = { selection: Selection; scriptType: string | undefined }

/** The devices of a run, by number and name, and the excluded ones with the reason. */
export function TargetSummary({ selection: { runnable, excluded }, scriptType }: Props) {
  const { t } = useTranslation('procedures')
  const [isOpen, setIsOpen] = useState(false)
  if (runnable.length + excluded.length === 0) return null
  const offline = runnable.filter((target) => target.status === 'offline').length
  const leftOut = excluded.reduce((count, { targets }) => count + targets.length, 0)
  const { names, left } = namesShown(runnable, isOpen ? runnable.length : NAMES_FIRST)
  return (
    <div style={{ display: 'grid', gap: 8, marginBlockEnd: 16 }}>
      {runnable.length > 0 ? (
        <div
          style={{
            padding: '10px 12px',
            borderRadius: 6,
            background: 'var(--k-sunken)',
            maxHeight: 180,
            overflow: 'auto',
          }}
        >
          <strong>{t('run.resolved', { count: runnable.length })}</strong>{' '}
          <span style={{ color: 'var(--k-text-soft)', overflowWrap: 'anywhere' }}>{names.join(', ')}</span>{' '}
          {left > 0 ? (
            <Button type="link" size="small" onClick={() => setIsOpen(true)} style={{ paddingInline: 4 }}>
              {t('run.more', { count: left })}
            </Button>
          ) : null}
        </div>
      ) : null}
      {offline > 0 ? (
        <span style={{ color: 'var(--k-text-soft)' }}>{t('run.offline', { count: offline })}</span>
      ) : null}
      {leftOut > 0 ? (
        <Alert
          type="warning"
          showIcon
          title={t('run.excluded', { count: leftOut })}
          description={
            <ul style={{ margin: 0, paddingInlineStart: 18, maxHeight: 140, overflow: 'auto' }}>
              {excluded.map(({ reason, targets }) => (
                <li key={reason} style={{ overflowWrap: 'anywhere' }}>
                  {t(`run.excludedBecause.${reason}`, { type: scriptType })}{' '}
                  <strong>{targets.map(({ name }) => name).join(', ')}</strong>
                </li>
              ))}
            </ul>
          }
        />
      ) : null}
    </div>
  )
}
