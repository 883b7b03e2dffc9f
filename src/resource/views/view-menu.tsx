import MoreOutlined from '@ant-design/icons/es/icons/MoreOutlined'
import { Button, Dropdown } from 'antd'
import { useTranslation } from 'react-i18next'
import { isOutOfRole } from '@/access/policy'
import { useVerdict } from '@/access/use-verdict'
import type { MenuItem } from '@/resource/actions/use-guarded-item'
import type { SavedView } from '@/resource/preferences/list-settings'

export type ViewTask = 'update' | 'rename' | 'default' | 'share' | 'delete'

interface ViewMenuProps {
  view: SavedView
  isChanged: boolean
  isSmall: boolean
  onTask: (task: ViewTask) => void
}

/** Users change their own views; shared ones are changed by roles that may share, and have no menu for the others. */
export function ViewMenu({ view, isChanged, isSmall, onTask }: ViewMenuProps) {
  const { t } = useTranslation('views')
  const sharing = useVerdict('saved_views', 'share')
  const canChange = sharing.allowed || (view.is_mine && view.scope === 'mine')
  if (!canChange && isOutOfRole(sharing) && !view.is_mine) return null
  const item = (task: ViewTask, label: string, isPossible: boolean): MenuItem => ({
    key: task,
    label: isPossible ? (
      label
    ) : (
      <span className="k-menu-refused">
        {label}
        <span className="k-menu-reason">{t(canChange ? 'nothingToUpdate' : 'notYours')}</span>
      </span>
    ),
    disabled: !isPossible,
    danger: task === 'delete',
  })
  const items: MenuItem[] = [
    item('update', t('update'), canChange && isChanged),
    item('rename', t('rename'), canChange),
    item('default', t(view.is_default ? 'clearDefault' : 'makeDefault'), canChange),
    item('share', t('share'), canChange),
    { type: 'divider' },
    item('delete', t('delete'), canChange || view.is_mine),
  ]
  return (
    <Dropdown trigger={['click']} menu={{ items, onClick: ({ key }) => onTask(key as ViewTask) }}>
      <Button
        size={isSmall ? 'small' : 'middle'}
        icon={<MoreOutlined aria-hidden="true" />}
        aria-haspopup="menu"
        aria-label={t('menu', { name: view.name })}
      />
    </Dropdown>
  )
}
