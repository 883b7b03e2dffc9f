import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRpc } from '@/refine/use-rpc'
import { QueryState } from '@/resource/query-state'
import css from './held-updates.module.css'
import { HoldReason } from './hold-reason'
import type { RingFacts } from './ring-hold'

interface HeldUpdate extends RingFacts {
  id: string
  title: string
}

interface HeldUpdatesProps {
  deviceId: string
  /** A row of `device_patches`: whether it is held back, and nothing of the others. */
  only?: string
}

/** The approved updates that a device does not get yet, each with its reason. */
export function HeldUpdates({ deviceId, only }: HeldUpdatesProps) {
  const { t } = useTranslation('patches')
  const query = useRpc<HeldUpdate[]>({
    name: 'device_holds',
    args: { device_id: deviceId },
    resource: 'device_patches',
  })
  const { data, error } = query
  if (error || !data) return <QueryState query={query} rows={2} />
  if (only !== undefined) {
    const held = data.find(({ id }) => id === only)
    return <p className={css.text}>{held ? <HoldReason facts={held} /> : t('hold.notHeld')}</p>
  }
  if (data.length === 0) return <p className={css.text}>{t('hold.none')}</p>
  return (
    <>
      <p className={css.text}>{t('hold.title', { count: data.length })}</p>
      <ul className={css.held}>
        {data.map((update) => (
          <li key={update.id}>
            <Link to={`/patch-management/${update.id}`}>{update.title}</Link>
            {' – '}
            <HoldReason facts={update} />
          </li>
        ))}
      </ul>
    </>
  )
}
