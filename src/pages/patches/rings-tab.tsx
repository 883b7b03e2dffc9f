import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDateTime, formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useRpc } from '@/refine/use-rpc'
import type { TabProps } from '@/resource/engine-context'
import { QueryState } from '@/resource/query-state'
import { HoldReason } from '@/runs/updates/hold-reason'
import type { RingFacts } from '@/runs/updates/ring-hold'
import { EmptyState } from '@/ui/empty-state'
import { Panel } from '@/ui/panel'
import css from './patches.module.css'

interface PatchRing extends RingFacts {
  id: string
  name: string
  released_at: string | null
}

/** Which rings have an update, and what it waits for in the others. */
export function RingsTab({ record }: TabProps) {
  const { t } = useTranslation('patches')
  const language = useLanguage()
  const query = useRpc<PatchRing[]>({
    name: 'patch_rings',
    args: { patch_id: record.id },
    resource: 'device_patches',
  })
  if (query.error || !query.data) return <QueryState query={query} rows={3} />
  if (query.data.length === 0) return <EmptyState title={t('rings.none')} text={t('rings.noneText')} />
  const isApproved = record.approval === 'approved'
  const stateOf = (ring: PatchRing) => {
    if (!isApproved) return t('rings.notApproved')
    if (ring.ring === 1) return t('rings.first')
    if (ring.released_at !== null)
      return t('rings.released', { at: formatDateTime(ring.released_at, language) })
    return <HoldReason facts={ring} />
  }
  return (
    <Panel title={t('rings.title')} intro={t('rings.intro')}>
      <ol className={css.rings}>
        {query.data.map((ring) => (
          <li key={ring.id}>
            <strong>{t('rings.ring', { ring: formatNumber(ring.ring, language) })}</strong>{' '}
            <Link to={`/policies/${ring.id}`}>{ring.name}</Link>
            <p className={css.text}>{stateOf(ring)}</p>
            {isApproved && ring.ring > 1 && ring.tried > 0 ? (
              <p className={css.text}>
                {t('rings.result', {
                  before: ring.ring - 1,
                  count: ring.tried,
                  tried: formatNumber(ring.tried, language),
                  succeeded: formatNumber(ring.succeeded, language),
                })}
              </p>
            ) : null}
          </li>
        ))}
      </ol>
    </Panel>
  )
}
