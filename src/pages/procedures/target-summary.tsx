import { Alert, Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { namesShown, type Target, unsuited } from './targets'

const NAMES_FIRST = 8

/** Who is meant, by number and by name, and who is known not to be able to. */
export function TargetSummary({
  targets,
  scriptType,
}: {
  targets: readonly Target[]
  scriptType: string | undefined
}) {
  const { t } = useTranslation('procedures')
  const [isOpen, setIsOpen] = useState(false)
  if (targets.length === 0) return null
  const offline = targets.filter((target) => target.status === 'offline').length
  const wrong = unsuited(targets, scriptType)
  const { names, left } = namesShown(targets, isOpen ? targets.length : NAMES_FIRST)
  return (
    <div style={{ display: 'grid', gap: 8, marginBlockEnd: 16 }}>
      <div
        style={{
          padding: '10px 12px',
          borderRadius: 6,
          background: 'var(--k-sunken)',
          maxHeight: 180,
          overflow: 'auto',
        }}
      >
        <strong>{t('run.resolved', { count: targets.length })}</strong>{' '}
        <span style={{ color: 'var(--k-text-soft)', overflowWrap: 'anywhere' }}>{names.join(', ')}</span>{' '}
        {left > 0 ? (
          <Button type="link" size="small" onClick={() => setIsOpen(true)} style={{ paddingInline: 4 }}>
            {t('run.more', { count: left })}
          </Button>
        ) : null}
      </div>
      {offline > 0 ? (
        <span style={{ color: 'var(--k-text-soft)' }}>{t('run.offline', { count: offline })}</span>
      ) : null}
      {wrong.length > 0 ? (
        <Alert
          type="warning"
          showIcon
          title={t('run.unsuited', {
            count: wrong.length,
            type: scriptType,
            names: namesShown(wrong, 3).names.join(', '),
          })}
        />
      ) : null}
    </div>
  )
}
