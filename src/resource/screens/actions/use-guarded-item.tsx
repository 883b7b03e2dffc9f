import type { MenuProps } from 'antd'
import type { ReactNode } from 'react'
import { isOutOfRole, type RecordRead } from '@/access/policy'
import { useCan, useDenialText } from '@/access/use-can'
import type { Row } from '@/data/rows'

export type MenuItem = NonNullable<MenuProps['items']>[number]

interface GuardedItem {
  key: string
  label: ReactNode
  icon?: ReactNode
  object: string
  verb: string
  /** The record that it is about, where it is about one. */
  record?: RecordRead
  danger?: boolean
  /** A reason other than a missing permission why the action is unavailable. */
  reason?: string
  onClick: () => void
}

/** An action on rows that the page of a list adds to those of the definition. */
export interface PageAction extends Omit<GuardedItem, 'label' | 'reason' | 'record' | 'onClick'> {
  label: string
  run: (rows: readonly Row[]) => void
}

/**
 * A menu entry for an action with a permission: hidden for a role that never has it, otherwise disabled, with
 * the reason in a second line, when license or state forbid it.
 */
export function useGuardedItem(): (item: GuardedItem) => MenuItem[] {
  const can = useCan()
  const denialText = useDenialText()
  return ({ key, label, icon, object, verb, record, danger, reason, onClick }) => {
    const verdict = can(object, verb, record)
    if (isOutOfRole(verdict)) return []
    const refusal = verdict.allowed ? reason : denialText(verdict.reason)
    if (!refusal) return [{ key, label, icon, danger, onClick }]
    return [
      {
        key,
        icon,
        disabled: true,
        label: (
          <span className="k-menu-refused">
            {label}
            <span className="k-menu-reason">{refusal}</span>
          </span>
        ),
      },
    ]
  }
}
