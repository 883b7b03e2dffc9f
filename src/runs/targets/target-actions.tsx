import MoreOutlined from '@ant-design/icons/es/icons/MoreOutlined'
import { Button, Flex } from 'antd'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import type { MatchingRows } from '@/resource/engine-context'
import type { Definition } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import { actionsOn, type NamedAction } from '@/resource/request/filter/actions'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { actionIcon } from '@/resource/screens/actions/action-icon'
import { useGuardedItem } from '@/resource/screens/actions/use-guarded-item'
import { lazyPart } from '@/ui/load-chunk'
import { MenuButton } from '@/ui/menu-button'

const ActionDialog = lazyPart(() =>
  import('@/resource/screens/actions/action-dialog').then((module) => ({ default: module.ActionDialog })),
)

interface TargetActionsProps {
  devices: Definition
  matching: MatchingRows
  /** The actions that have a button; the others are in a menu. */
  first: readonly string[]
}

/** Offers the device list's actions on all matching devices, for a filter of its own. */
export function TargetActions({ devices, matching, first }: TargetActionsProps) {
  const { t } = useTranslation('engine')
  const words = useWords(devices)
  const guard = useGuardedItem()
  const scope = useResourceScope()
  const [running, setRunning] = useState<NamedAction | null>(null)
  const close = () => setRunning(null)
  const actions = actionsOn(devices, 'bulk').filter(({ action }) => action.matching)
  const buttons = first.flatMap((name) => actions.filter((named) => named.name === name))
  const items = actions
    .filter((named) => !buttons.includes(named))
    .flatMap((named) =>
      guard({
        key: named.name,
        label: words.action(named.name),
        icon: actionIcon(named.action),
        object: named.object,
        verb: named.verb,
        danger: named.action.danger === true,
        onClick: () => setRunning(named),
      }),
    )
  return (
    <Flex wrap gap={8}>
      {buttons.map((named) => (
        <GuardedButton
          key={named.name}
          resource={named.object}
          action={named.verb}
          danger={named.action.danger === true}
          icon={actionIcon(named.action)}
          onClick={() => setRunning(named)}
        >
          {words.action(named.name)}
        </GuardedButton>
      ))}
      {items.length > 0 ? (
        <MenuButton menu={{ items }}>
          <Button icon={<MoreOutlined />} aria-label={t('show.more')} aria-haspopup="menu" />
        </MenuButton>
      ) : null}
      {running ? (
        <Suspense fallback={null}>
          <ActionDialog
            definition={devices}
            scope={scope}
            named={running}
            rows={[]}
            matching={matching}
            onClose={close}
            onDone={close}
          />
        </Suspense>
      ) : null}
    </Flex>
  )
}
