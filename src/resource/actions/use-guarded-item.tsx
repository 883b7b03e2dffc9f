import type { MenuProps } from 'antd'
import type { ReactNode } from 'react'
import { useAccess } from '@/access/use-access'
import { useDenialText } from '@/access/use-denial-text'

export type MenuItem = NonNullable<MenuProps['items']>[number]

interface GuardedItem {
  key: string
  label: ReactNode
  object: string
  verb: string
  danger?: boolean
  /** Why it is not possible, beside permission. */
  reason?: string
  onClick: () => void
}

/** A menu entry that says in its own second line why it cannot be used; a disabled one has no tooltip. */
export function useGuardedItem(): (item: GuardedItem) => MenuItem {
  const { can } = useAccess()
  const denialText = useDenialText()
  return ({ key, label, object, verb, danger, reason, onClick }) => {
    const verdict = can(object, verb)
    const refusal = verdict.allowed ? reason : denialText(verdict.reason)
    if (!refusal) return { key, label, danger, onClick }
    return {
      key,
      disabled: true,
      label: (
        <span className="k-menu-refused">
          {label}
          <span className="k-menu-reason">{refusal}</span>
        </span>
      ),
    }
  }
}
