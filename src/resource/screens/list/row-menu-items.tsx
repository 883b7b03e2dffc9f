import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/language/definition.generated'
import { canDelete, canEdit, editPath, recordPath } from '@/resource/language/naming'
import type { ResourceWords } from '@/resource/language/words'
import { actionsFor, isOffered } from '@/resource/request/filter/actions'
import { useLockText } from '@/resource/request/query/use-lock-text'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { actionIcon } from '@/resource/screens/actions/action-icon'
import type { ActionRunner } from '@/resource/screens/actions/use-action-runner'
import { type MenuItem, type PageAction, useGuardedItem } from '@/resource/screens/actions/use-guarded-item'
import { MenuAnchor, MenuButton } from '@/ui/menu-button'

export interface RowMenuProps {
  definition: Definition
  words: ResourceWords
  scope: ResourceScope
  row: Row
  runner: ActionRunner
  further: readonly PageAction[]
  linkState: unknown
}

interface RowMenuItemsProps extends RowMenuProps {
  button: HTMLElement
  isOpen: boolean
  onClose: () => void
}

/** The actions of a row, in a menu on its button. */
export function RowMenuItems(props: RowMenuItemsProps) {
  const { definition, words, scope, row, runner, further, linkState, button, isOpen, onClose } = props
  const { t } = useTranslation('engine')
  const navigate = useNavigate()
  const guard = useGuardedItem()
  const locked = useLockText(definition, scope)(row)
  const id = String(row.id)

  const items = (): MenuItem[] => {
    const own: MenuItem[] = actionsFor(definition, 'row', row, scope.filter, words.action).flatMap(
      (named) => {
        const isPossible = isOffered(definition, named.action, row, scope.filter)
        const reason = isPossible ? undefined : words.text('notNow', named.name)
        // A menu leaves out an impossible action, unless the texts of the resource say why it is impossible.
        if (!isPossible && reason === undefined) return []
        return guard({
          key: `action:${named.name}`,
          label: words.action(named.name),
          icon: actionIcon(named.action),
          object: named.object,
          verb: named.verb,
          record: row,
          danger: named.action.danger === true,
          ...(reason === undefined ? {} : { reason }),
          onClick: () => runner.run(named, [row]),
        })
      },
    )
    own.push(
      ...further.flatMap(({ run, ...item }) => guard({ ...item, record: row, onClick: () => run([row]) })),
    )
    const record: MenuItem[] = []
    const path = recordPath(definition, id)
    if (path)
      record.push({
        key: 'open',
        label: t('list.open'),
        onClick: () => navigate(path, { state: linkState }),
      })
    if (canEdit(definition))
      record.push(
        ...guard({
          key: 'edit',
          label: t('show.edit'),
          object: definition.name,
          verb: 'edit',
          record: row,
          ...(locked === undefined ? {} : { reason: locked }),
          onClick: () => navigate(editPath(definition, id), { state: linkState }),
        }),
      )
    const removal = canDelete(definition)
      ? guard({
          key: 'delete',
          label: t('action.delete'),
          object: definition.name,
          verb: 'delete',
          record: row,
          danger: true,
          onClick: () => runner.remove([row]),
        })
      : []
    return [...record, ...own, ...(removal.length > 0 ? [{ type: 'divider' as const }] : []), ...removal]
  }

  return (
    <MenuButton
      placement="bottomRight"
      open={isOpen}
      onOpenChange={(isNext) => {
        if (!isNext) onClose()
      }}
      menu={{ items: isOpen ? items() : [] }}
    >
      <MenuAnchor button={button} />
    </MenuButton>
  )
}
