import { Pagination } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useRpc } from '@/refine/use-rpc'
import { showPath } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { QueryState } from '@/resource/query-state'
import type { ServerTarget } from './target-data'
import css from './target-devices.module.css'

interface TargetPage {
  count: number
  devices: { id: string; name: string }[]
}

interface TargetDevicesProps {
  target: ServerTarget
  /** Identifies the target where its filter names the time and changes on every render. */
  asked?: Record<string, unknown>
  pageSize: number
  /** Says how many there are, where the page does not. */
  renderCount?: (count: number, formatted: string) => ReactNode
  /** Where the page holds unsaved work, links open another one. */
  inNewTab?: boolean
}

/** The devices of a target by name, a page at a time, and how many there are. */
export function TargetDevices({
  target,
  asked,
  pageSize,
  renderCount,
  inNewTab = false,
}: TargetDevicesProps) {
  const { t } = useTranslation('devices')
  const language = useLanguage()
  const key = JSON.stringify(asked ?? target)
  const [place, setPlace] = useState({ key, page: 1 })
  const page = place.key === key ? place.page : 1
  const skip = (page - 1) * pageSize
  const query = useRpc<TargetPage>(
    {
      name: 'target_devices',
      args: { target, skip, max_rows: pageSize },
      resource: 'devices',
      companyId: target.company_id,
      ...(asked ? { asked: { ...asked, skip } } : {}),
    },
    { placeholderData: (previous) => previous },
  )
  const device = findDefinition('devices')
  const { data, error, isPlaceholderData } = query
  if (error || !data) return <QueryState query={query} rows={2} />
  return (
    <div aria-busy={isPlaceholderData}>
      {renderCount ? (
        <div role="status">{renderCount(data.count, formatNumber(data.count, language))}</div>
      ) : null}
      {data.devices.length > 0 ? (
        <ul className={css.names}>
          {data.devices.map(({ id, name }) => (
            <li key={id}>
              {device ? (
                <Link to={showPath(device, id)} {...(inNewTab ? { target: '_blank' } : {})}>
                  {name}
                </Link>
              ) : (
                name
              )}
            </li>
          ))}
        </ul>
      ) : null}
      <nav aria-label={t('targetPages')}>
        <Pagination
          size="small"
          current={page}
          pageSize={pageSize}
          total={data.count}
          showSizeChanger={false}
          hideOnSinglePage
          onChange={(next) => setPlace({ key, page: next })}
        />
      </nav>
    </div>
  )
}
