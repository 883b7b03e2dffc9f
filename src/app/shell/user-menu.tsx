import LockOutlined from '@ant-design/icons/es/icons/LockOutlined'
import LogoutOutlined from '@ant-design/icons/es/icons/LogoutOutlined'
import SettingOutlined from '@ant-design/icons/es/icons/SettingOutlined'
import { useLogout, useNotification } from '@refinedev/core'
import type { MenuProps } from 'antd'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCan } from '@/access/use-can'
import { usePageWords } from '@/app/page-words'
import type { Language } from '@/i18n/language'
import { useLanguage } from '@/i18n/use-language'
import { useRoleWord } from '@/resource/language/words'
import type { SessionUser } from '@/session/types'
import { lazyPart } from '@/ui/load-chunk'
import { MenuButton } from '@/ui/menu-button'
import { StatusTag } from '@/ui/status-tag'

/** Signs out, shows a toast and goes to the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const { t } = useTranslation('shell')
  const navigate = useNavigate()
  const { open } = useNotification()
  const { mutateAsync: logout } = useLogout()
  return async () => {
    await logout()
    open?.({ type: 'success', message: t('signedOut.title'), description: t('signedOut.text') })
    void navigate('/login', { replace: true })
  }
}

/** First letters of the first and the last word, at most two. */
export function initials(name: string, language: Language): string {
  const words = name.trim().split(/\s+/).filter(Boolean)
  const first = words[0] ?? ''
  const last = words.length > 1 ? (words.at(-1) ?? '') : ''
  const letters = [first, last].map((word) => Array.from(word)[0] ?? '').join('')
  return letters.toLocaleUpperCase(language) || '?'
}

const PasswordDialog = lazyPart(() =>
  import('@/pages/settings/password-dialog').then((module) => ({ default: module.PasswordDialog })),
)

const SETTINGS = '/settings'

export function UserMenu({ user }: { user: SessionUser }) {
  const { t } = useTranslation('shell')
  const words = usePageWords()
  const language = useLanguage()
  const navigate = useNavigate()
  const can = useCan()
  const handleSignOut = useSignOut()
  const [isChanging, setChanging] = useState(false)

  const items: MenuProps['items'] = [
    { key: 'who', type: 'group', label: <UserCard user={user} /> },
    { type: 'divider' },
    ...(can('settings', 'list').allowed
      ? [{ key: 'settings', icon: <SettingOutlined />, label: words.labelAt(SETTINGS) }]
      : [{ key: 'password', icon: <LockOutlined />, label: t('userMenu.password') }]),
    { key: 'signOut', icon: <LogoutOutlined />, label: t('userMenu.signOut') },
  ]
  return (
    <>
      <MenuButton
        placement="bottomRight"
        menu={{
          items,
          onClick: ({ key }) => {
            if (key === 'settings') void navigate(SETTINGS)
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
      </MenuButton>
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
