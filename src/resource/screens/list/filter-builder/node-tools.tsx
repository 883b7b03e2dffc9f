import CloseOutlined from '@ant-design/icons/es/icons/CloseOutlined'
import CopyOutlined from '@ant-design/icons/es/icons/CopyOutlined'
import HolderOutlined from '@ant-design/icons/es/icons/HolderOutlined'
import { Button } from 'antd'
import type { KeyboardEvent, PointerEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { type DraftActions, handleId } from '@/resource/screens/list/filter-builder/use-draft'

interface NodeHandleProps {
  id: string
  /** The moved node, in words. */
  what: string
  actions: DraftActions
  onGrab: (id: string, event: PointerEvent<HTMLElement>) => void
}

export function NodeHandle({ id, what, actions, onGrab }: NodeHandleProps) {
  const { t } = useTranslation('filters')
  const handleKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    event.preventDefault()
    actions.step(id, event.key === 'ArrowUp' ? -1 : 1)
  }
  return (
    <button
      id={handleId(id)}
      type="button"
      className="k-where-handle"
      aria-label={t('move', { what })}
      onKeyDown={handleKeyDown}
      onPointerDown={(event) => onGrab(id, event)}
    >
      <HolderOutlined aria-hidden="true" />
    </button>
  )
}

interface NodeToolsProps {
  id: string
  what: string
  canAdd: boolean
  actions: DraftActions
}

export function NodeTools({ id, what, canAdd, actions }: NodeToolsProps) {
  const { t } = useTranslation('filters')
  return (
    <span className="k-where-tools">
      <Button
        type="text"
        icon={<CopyOutlined aria-hidden="true" />}
        aria-label={t('duplicate', { what })}
        disabled={!canAdd}
        onClick={() => actions.duplicate(id)}
      />
      <Button
        type="text"
        icon={<CloseOutlined aria-hidden="true" />}
        aria-label={t('delete', { what })}
        onClick={() => actions.remove(id)}
      />
    </span>
  )
}
