import MoreOutlined from '@ant-design/icons/es/icons/MoreOutlined'
import { Dropdown } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { Row } from '@/data/rows'
import { actionsOn, isOffered } from '@/resource/actions/actions'
import type { ActionRunner } from '@/resource/actions/use-action-runner'
import { type MenuItem, useGuardedItem } from '@/resource/actions/use-guarded-item'
import type { Definition } from '@/resource/definition/definition.generated'
import { canDelete, canEdit, editPath, hasShow, showPath } from '@/resource/definition/naming'
import { recordTitle } from '@/resource/queries/title'
import type { ResourceScope } from '@/resource/queries/use-scope'
import type { ResourceWords } from '@/resource/words'

interface RowMenuProps {
  definition: Definition
  words: ResourceWords
  scope: ResourceScope
  row: Row
  runner: ActionRunner
  linkState: unknown
}

export function RowMenu({ definition, words, scope, row, runner, linkState }: RowMenuProps) {
  const { t } = useTranslation('engine')
  const navigate = useNavigate()
  const guard = useGuardedItem()
  const [isOpen, setOpen] = useState(false)
  const id = String(row.id)
  const title = recordTitle(definition, row)

  const items = (): MenuItem[] => {
    const own: MenuItem[] = actionsOn(definition, 'row').map((named) =>
      guard({
        key: `action:${named.name}`,
        label: words.action(named.name),
        object: named.object,
        verb: named.verb,
        danger: named.action.danger === true,
        reason: isOffered(definition, named.action, row, scope.filter) ? undefined : t('action.notNow'),
        onClick: () => runner.run(named, [row]),
      }),
    )
    const record: MenuItem[] = []
    if (hasShow(definition))
      record.push({
        key: 'open',
        label: t('list.open'),
        onClick: () => navigate(showPath(definition, id), { state: linkState }),
      })
    if (canEdit(definition))
      record.push(
        guard({
          key: 'edit',
          label: t('show.edit'),
          object: definition.name,
          verb: 'edit',
          onClick: () => navigate(editPath(definition, id), { state: linkState }),
        }),
      )
    const removal: MenuItem[] = canDelete(definition)
      ? [
          { type: 'divider' },
          guard({
            key: 'delete',
            label: t('action.delete'),
            object: definition.name,
            verb: 'delete',
            danger: true,
            onClick: () => runner.remove([row]),
          }),
        ]
      : []
    return [...record, ...own, ...removal]
  }

  return (
    <Dropdown
      trigger={['click']}
      placement="bottomRight"
      open={isOpen}
      onOpenChange={setOpen}
      menu={{ items: isOpen ? items() : [] }}
    >
      {/* A plain one: the library's takes a tenth of the time that a page of rows is painted in. */}
      <button
        type="button"
        className="k-row-menu"
        aria-label={t('list.actionsFor', { title })}
        aria-haspopup="menu"
        aria-expanded={isOpen}
      >
        <MoreOutlined aria-hidden="true" />
      </button>
    </Dropdown>
  )
}
