import type { ComponentType, ReactNode } from 'react'
import { entryIcon } from '@/app/shell/entry-icons'
import type { LaterKey } from '@/pages/later/later-key'
import { LaterPage } from '@/pages/later/later-page'
import { lazyPart } from '@/ui/load-chunk'

const DashboardPage = lazyPage(async () => (await import('@/pages/dashboard/dashboard-page')).DashboardPage)
const SettingsPage = lazyPage(async () => (await import('@/pages/settings/settings-page')).SettingsPage)
const SystemLicensePage = lazyPage(
  async () => (await import('@/pages/settings/system-license-page')).SystemLicensePage,
)
const TicketSettingsPage = lazyPage(
  async () => (await import('@/pages/tickets/ticket-settings-page')).TicketSettingsPage,
)

function lazyPage(load: () => Promise<ComponentType>) {
  return lazyPart(async () => ({ default: await load() }))
}

export interface OwnPage {
  path: string
  /** What the permission lines call it. */
  object: string
  page: ReactNode
}

/** `icon` is the path of the sidebar entry it belongs to. */
function later(path: string, object: string, topic: LaterKey, icon: string): OwnPage {
  return { path, object, page: <LaterPage topic={topic} icon={entryIcon(icon)} /> }
}

/** The pages that no definition makes; one that comes to make one replaces it. */
export const OWN_PAGES: readonly OwnPage[] = [
  { path: '/', object: 'dashboard', page: <DashboardPage /> },
  { path: '/dashboard', object: 'dashboard', page: <DashboardPage /> },
  { path: '/settings', object: 'settings', page: <SettingsPage /> },
  { path: '/system-license', object: 'system-license', page: <SystemLicensePage /> },
  { path: '/ticket-settings', object: 'ticket-settings', page: <TicketSettingsPage /> },
  later('/custom-commands', 'custom-commands', 'customCommands', '/custom-commands'),
  later('/template-manager', 'template-manager', 'templateManager', '/template-manager'),
]

/** A private page whose definition an operator took away. */
export const WITHOUT_DEFINITION = <LaterPage topic="withoutDefinition" icon={entryIcon('')} />
