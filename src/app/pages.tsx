import type { ComponentType } from 'react'
import type { LaterKey } from '@/pages/later/later-key'
import type { Definition } from '@/resource/language/definition.generated'
import { lazyPart } from '@/ui/load-chunk'
import type words from '../../locales/en/shell.json'

export type IconName = NonNullable<Definition['icon']>
export type Section = NonNullable<Definition['section']>
type TitleKey = keyof typeof words.titles

/** A hand-written page. Definitions have keys of the same names. */
export interface HandWrittenPage {
  /** Unique among pages and resources; `parent` refers to it. */
  name: string
  path: string
  /** A second address of the same page. */
  alias?: string
  /** The page's title: a key of `shell:titles`. */
  label: TitleKey
  icon: IconName
  /** The part of the menu; `added` by default. */
  section?: Section
  /** The page whose list has this one as a tab. */
  parent?: string
  position?: number
  /** The permission object whose `list` opens it. */
  object: string
  /** Not built yet: a definition at its path takes its place. */
  isPlanned?: true
  component: ComponentType
}

function lazyPage(load: () => Promise<ComponentType>): ComponentType {
  return lazyPart(async () => ({ default: await load() }))
}

/** A page that is planned and not built yet. */
function laterPage(topic: LaterKey, icon: IconName): ComponentType {
  return lazyPage(async () => {
    const [{ LaterPage }, { MenuIcon }] = await Promise.all([
      import('@/pages/later/later-page'),
      import('@/app/shell/menu-icon'),
    ])
    return () => <LaterPage topic={topic} icon={<MenuIcon name={icon} />} />
  })
}

/**
 * The hand-written pages. Together with the definitions of `resources/` they make the console's one list of pages
 * (`registry.ts`). This file is loaded before sign-in: keep components lazy. `npm run resource check` checks it.
 */
export const PAGES: readonly HandWrittenPage[] = [
  {
    name: 'dashboard',
    path: '/',
    alias: '/dashboard',
    label: 'dashboard',
    icon: 'dashboard',
    section: 'main',
    position: 1,
    object: 'dashboard',
    component: lazyPage(async () => (await import('@/pages/dashboard/dashboard-page')).DashboardPage),
  },
  {
    name: 'custom-commands',
    path: '/custom-commands',
    label: 'customCommands',
    icon: 'mac-command',
    section: 'main',
    position: 11,
    object: 'custom-commands',
    component: lazyPage(async () => (await import('@/pages/commands/commands-page')).CommandsPage),
  },
  {
    name: 'ticket-settings',
    path: '/ticket-settings',
    label: 'ticketSettings',
    icon: 'setting',
    parent: 'tickets',
    position: 9,
    object: 'ticket-settings',
    component: lazyPage(
      async () => (await import('@/pages/tickets/ticket-settings-page')).TicketSettingsPage,
    ),
  },
  {
    name: 'template-manager',
    path: '/template-manager',
    label: 'templateManager',
    icon: 'snippets',
    section: 'main',
    position: 14,
    object: 'template-manager',
    isPlanned: true,
    component: laterPage('templateManager', 'snippets'),
  },
  {
    name: 'system-license',
    path: '/system-license',
    label: 'systemLicense',
    icon: 'idcard',
    section: 'bottom',
    position: 1,
    object: 'system-license',
    component: lazyPage(async () => (await import('@/pages/settings/system-license-page')).SystemLicensePage),
  },
  {
    name: 'settings',
    path: '/settings',
    label: 'settings',
    icon: 'setting',
    section: 'bottom',
    position: 2,
    object: 'settings',
    component: lazyPage(async () => (await import('@/pages/settings/settings-page')).SettingsPage),
  },
]
