import MoreOutlined from '@ant-design/icons/es/icons/MoreOutlined'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { GuardedButton } from '@/access/guarded-button'
import { isOutOfRole } from '@/access/policy'
import { useCan } from '@/access/use-can'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/language/definition.generated'
import { canDelete, canDuplicate, canEdit, duplicatePath, editPath } from '@/resource/language/naming'
import type { ResourceWords } from '@/resource/language/words'
import {
  actionsFor,
  isOffered,
  MAX_ACTION_BUTTONS,
  type NamedAction,
} from '@/resource/request/filter/actions'
import { useLockText } from '@/resource/request/query/use-lock-text'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { actionIcon } from '@/resource/screens/actions/action-icon'
import type { ActionRunner } from '@/resource/screens/actions/use-action-runner'
import { type MenuItem, useGuardedItem } from '@/resource/screens/actions/use-guarded-item'
import { MenuButton } from '@/ui/menu-button'
import { useMedia } from '@/ui/use-media'

const MAX_PHONE_BUTTONS = 2

interface ShowActionsProps {
  definition: Definition
  words: ResourceWords
  scope: ResourceScope
  record: Row
  runner: ActionRunner
  linkState: unknown
}

export function ShowActions({ definition, words, scope, record, runner, linkState }: ShowActionsProps) {
  const { t } = useTranslation('engine')
  const navigate = useNavigate()
  const guard = useGuardedItem()
  const can = useCan()
  const lockText = useLockText(definition, scope)
  const isPhone = useMedia('(max-width: 767.98px)')
  const actions = actionsFor(definition, 'record', record, scope.filter, words.action)
  const reason = ({ action, name }: NamedAction) =>
    isOffered(definition, action, record, scope.filter)
      ? undefined
      : (words.text('notNow', name) ?? t('action.notNow'))
  // A button for an action that the role never has would be drawn as nothing, in the place of one that it has.
  const offered = actions.filter(
    (named) => !reason(named) && !isOutOfRole(can(named.object, named.verb, record)),
  )
  // The other side of a switch, such as Publish beside Back to draft, would be a button that never is pressed.
  const isOtherSide = (named: NamedAction) =>
    reason(named) !== undefined &&
    offered.some(({ action }) => action.rpc !== undefined && action.rpc === named.action.rpc)
  const isCrowded = actions.length > MAX_ACTION_BUTTONS
  const buttons = isPhone
    ? offered.slice(0, MAX_PHONE_BUTTONS)
    : isCrowded
      ? offered.slice(0, MAX_ACTION_BUTTONS)
      : actions.filter((named) => !isOtherSide(named))
  // A menu leaves out an impossible action, unless the texts of the resource say why it is impossible.
  const isSaid = (named: NamedAction) => !reason(named) || words.text('notNow', named.name) !== undefined
  const items: MenuItem[] = actions
    .filter((named) => !buttons.includes(named) && isSaid(named))
    .flatMap((named) =>
      guard({
        key: `action-${named.name}`,
        label: words.action(named.name),
        icon: actionIcon(named.action),
        object: named.object,
        verb: named.verb,
        record,
        danger: named.action.danger === true,
        reason: reason(named),
        onClick: () => runner.run(named, [record]),
      }),
    )
  if (canDuplicate(definition))
    items.push(
      ...guard({
        key: 'duplicate',
        label: t('show.duplicate'),
        object: definition.name,
        verb: 'create',
        onClick: () => navigate(duplicatePath(definition, String(record.id)), { state: linkState }),
      }),
    )
  items.push({ key: 'print', label: t('print.record'), onClick: () => window.print() })
  if (canDelete(definition))
    items.push(
      ...guard({
        key: 'delete',
        label: t('show.delete'),
        object: definition.name,
        verb: 'delete',
        record,
        danger: true,
        onClick: () => runner.remove([record]),
      }),
    )
  return (
    <div className="k-show-actions">
      {buttons.map((named, index) => (
        <GuardedButton
          key={named.name}
          resource={named.object}
          action={named.verb}
          record={record}
          // A page has one primary button; an action that takes away is never it.
          type={index === 0 && named.action.danger !== true ? 'primary' : 'default'}
          danger={named.action.danger === true}
          icon={actionIcon(named.action)}
          reason={reason(named)}
          onClick={() => runner.run(named, [record])}
        >
          {words.action(named.name)}
        </GuardedButton>
      ))}
      {canEdit(definition) ? (
        <GuardedButton
          resource={definition.name}
          action="edit"
          record={record}
          reason={lockText(record)}
          onClick={() => navigate(editPath(definition, String(record.id)), { state: linkState })}
        >
          {t('show.edit')}
        </GuardedButton>
      ) : null}
      <MenuButton placement="bottomRight" menu={{ items }}>
        <Button icon={<MoreOutlined />} aria-label={t('show.more')} aria-haspopup="menu" />
      </MenuButton>
    </div>
  )
}
