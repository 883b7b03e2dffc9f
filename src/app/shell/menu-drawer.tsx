import { Drawer } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Sidebar } from '@/app/shell/sidebar'

interface MenuDrawerProps {
  isOpen: boolean
  onClose: () => void
  /** The company switcher, if there is more than one company. */
  switcher: ReactNode
}

/** The menu over the page, on narrow screens. */
export function MenuDrawer({ isOpen, onClose, switcher }: MenuDrawerProps) {
  const { t } = useTranslation('shell')
  return (
    <Drawer
      open={isOpen}
      onClose={onClose}
      placement="left"
      size="18rem"
      closable={{ 'aria-label': t('closeMenu') }}
      aria-label={t('mainMenu')}
      styles={{ header: { display: 'none' }, body: { padding: 0 } }}
    >
      <div className="drawer-sidebar">
        <Sidebar isCollapsed={false} onNavigate={onClose} />
        {switcher ? <div className="drawer-company">{switcher}</div> : null}
      </div>
    </Drawer>
  )
}
