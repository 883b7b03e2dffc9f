import LeftOutlined from '@ant-design/icons/es/icons/LeftOutlined'
import RightOutlined from '@ant-design/icons/es/icons/RightOutlined'
import { Button } from 'antd'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCache } from '@/refine/use-cache'
import type { Definition } from '@/resource/definition/definition.generated'
import { hasTabPath, showPath } from '@/resource/definition/naming'
import { recordTitle } from '@/resource/query/title'
import { prefetchRecord } from '@/resource/query/use-record-query'
import type { ResourceScope } from '@/resource/query/use-scope'
import { OVERVIEW } from '@/resource/show/record-tabs'
import { type Neighbor, useNeighbors } from '@/resource/show/use-neighbors'
import { useTabAddress } from '@/resource/show/use-tab-address'
import { isPlainKey } from '@/ui/plain-key'

const WAYS = [
  { way: 'previous', key: '[', Icon: LeftOutlined },
  { way: 'next', key: ']', Icon: RightOutlined },
] as const

interface RecordWalkProps {
  definition: Definition
  id: string
  scope: ResourceScope
}

/** From record to record in the order of the list they were found in. */
export function RecordWalk({ definition, id, scope }: RecordWalkProps) {
  const { t } = useTranslation('engine')
  const cache = useCache()
  const navigate = useNavigate()
  const { asked } = useTabAddress(definition, id, OVERVIEW)
  const neighbors = useNeighbors(definition, id, scope)

  const go = ({ row, from }: Neighbor) => {
    const record = showPath(definition, String(row.id))
    const search = asked ? `?tab=${encodeURIComponent(asked)}` : ''
    const path = asked && hasTabPath(definition, asked) ? `${record}/${asked}` : `${record}${search}`
    navigate(path, { state: { from } })
  }
  const handler = useRef<(event: KeyboardEvent) => void>(undefined)
  useEffect(() => {
    handler.current = (event) => {
      for (const { way, key } of WAYS) {
        const neighbor = neighbors?.[way]
        if (neighbor && isPlainKey(event, key)) go(neighbor)
      }
    }
  })
  useEffect(() => {
    const handleKey = (event: KeyboardEvent) => handler.current?.(event)
    window.addEventListener('keydown', handleKey)
    return () => window.removeEventListener('keydown', handleKey)
  }, [])

  if (!neighbors) return null
  return (
    <nav className="k-walk" aria-label={t('walk.title')}>
      {WAYS.map(({ way, key, Icon }) => {
        const neighbor = neighbors[way]
        const title = neighbor ? recordTitle(definition, neighbor.row) : ''
        return (
          <Button
            key={way}
            icon={<Icon aria-hidden="true" />}
            aria-label={title ? `${t(`walk.${way}`)}: ${title}` : t(`walk.${way}`)}
            aria-keyshortcuts={key}
            title={title ? `${title} (${key})` : undefined}
            disabled={!neighbor}
            onPointerEnter={() =>
              neighbor && prefetchRecord(cache, definition, String(neighbor.row.id), scope)
            }
            onClick={() => neighbor && go(neighbor)}
          />
        )
      })}
    </nav>
  )
}
