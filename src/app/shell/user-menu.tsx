import LockOutlined from '@ant-design/icons/es/icons/LockOutlined'
import LogoutOutlined from '@ant-design/icons/es/icons/LogoutOutlined'
import SettingOutlined from '@ant-design/icons/es/icons/SettingOutlined'
import { Dropdown, type MenuProps } from 'antd'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCan } from '@/access/use-can'
import { initials } from '@/app/initials'
import { useSignOut } from '@/app/use-sign-out'
import { useLanguage } from '@/i18n/use-language'
import { useRoleWord } from '@/resource/definition/words'
import type { SessionUser } from '@/session/types'
import { lazyPart } from '@/ui/load-chunk'
import { StatusTag } from '@/ui/status-tag'

const PasswordDialog = lazyPart(() =>
  import('@/pages/settings/password-dialog').then((module) => ({ default: module.PasswordDialog })),
)

export function UserMenu({ user }: { user: SessionUser }) {
  const { t } = useTranslation('shell')
  const language = useLanguage()
  const navigate = useNavigate()
  const can = useCan()
  const handleSignOut = useSignOut()
  const [isChanging, setChanging] = useState(false)

  const items: MenuProps['items'] = [
    { key: 'who', type: 'group', label: <UserCard user={user} /> },
    { type: 'divider' },
    ...(can('settings', 'list').allowed
      ? [{ key: 'settings', icon: <SettingOutlined />, label: t('userMenu.settings') }]
      : [{ key: 'password', icon: <LockOutlined />, label: t('userMenu.password') }]),
    { key: 'signOut', icon: <LogoutOutlined />, label: t('userMenu.signOut') },
  ]
  return (
    <>
      <Dropdown
        trigger={['click']}
        placement="bottomRight"
        menu={{
          items,
          onClick: ({ key }) => {
            if (key === 'settings') void navigate('/settings')
            else if (key === 'password') setChanging(true)
            else void handleSignOut()
          },
        }}
      >
        <button
          type="button"
          className="user-button"
          aria-label={t('userMenu.open', { name: user.name })}
          aria-haspopup="menu"
        >
          <span className="user-avatar" aria-hidden="true">
            {initials(user.name, language)}
          </span>
          <span className="user-name" aria-hidden="true">
            {user.name}
          </span>
        </button>
      </Dropdown>
      {isChanging ? (
        <Suspense>
          <PasswordDialog onClose={() => setChanging(false)} />
        </Suspense>
      ) : null}
    </>
  )
}

function UserCard({ user }: { user: SessionUser }) {
  const role = useRoleWord()(user.role)
  return (
    <div className="user-card">
      <span className="user-card-name">
        {user.name}
        {user.companyId === null ? <StatusTag tone="info">SuperAdmin</StatusTag> : null}
      </span>
      <span>{user.email}</span>
      <span>{user.companyName ? `${role} · ${user.companyName}` : role}</span>
    </div>
  )
}
