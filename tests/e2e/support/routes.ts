import { readFileSync } from 'node:fs'
import { resourceWords } from '../../support/resource-words'
import type { Language } from './test'

/** Every private route of the product that needs no record, with the title its top bar shows in English. */
export const TITLES: Readonly<Record<string, string>> = {
  '/': 'Dashboard',
  '/devices': 'Devices',
  '/procedures': 'Scripts',
  '/monitors': 'Monitors',
  '/automation': 'Automation',
  '/patch-management': 'Patch Management',
  '/software': 'Software',
  '/software-inventory': 'Software Inventory',
  '/software-licenses': 'Software Licenses',
  '/app-store': 'App Store',
  '/corporate-apps': 'Corporate Apps',
  '/custom-commands': 'Custom Commands',
  '/tasks': 'Tasks',
  '/runs': 'Runs',
  '/scheduled-tasks': 'Scheduled Tasks',
  '/template-manager': 'Template Manager',
  '/agents': 'Agents',
  '/groups': 'Groups',
  '/policies': 'Policies',
  '/users': 'Users',
  '/company-management': 'Company Management',
  '/settings': 'Settings',
  '/system-license': 'System License',
  '/notifications': 'Notifications',
  '/tickets': 'Tickets',
  '/ticket-settings': 'Ticket Settings',
  '/alerts': 'Alerts',
  '/audit-log': 'Audit',
  '/failed-login-attempts': 'Failed Sign-ins',
  '/create-procedure': 'Create',
  '/create-monitor': 'Create',
  '/create-company': 'Create',
}

/** Routes of one record, whether there is one of that id or not. */
const ID = '00000000-0000-4000-8000-000000000001'
export const RECORD_TITLES: Readonly<Record<string, string>> = {
  [`/monitors/${ID}`]: 'Monitor Details',
  [`/automation/${ID}`]: 'Automation Details',
  [`/automation/${ID}/monitors`]: 'Automation Details',
  [`/automation/${ID}/pcs`]: 'Automation Details',
  [`/automation/${ID}/procedures`]: 'Automation Details',
  [`/tickets/${ID}`]: 'Ticket Details',
}

/** The sidebar in the specification's order; the last two are at the bottom. */
export const SIDEBAR = [
  '/',
  '/devices',
  '/agents',
  '/procedures',
  '/monitors',
  '/automation',
  '/patch-management',
  '/software-licenses',
  '/software-inventory',
  '/app-store',
  '/custom-commands',
  '/tickets',
] as const
export const BOTTOM = ['/system-license', '/settings'] as const

export const PUBLIC_ROUTES = [
  '/login',
  '/signup',
  '/forgot-password',
  '/reset-password',
  '/waf-test',
] as const

type Titles = Record<string, string>

function readWords<Words>(language: Language, file: string): Words {
  return JSON.parse(readFileSync(`locales/${language}/${file}.json`, 'utf8')) as Words
}

/** Titles of hand-written pages by their key, those of a definition's pages by its name. */
function words(language: Language): Titles {
  const { titles } = readWords<{ titles: Titles }>(language, 'shell')
  const resources = Object.entries(resourceWords(language) as Record<string, Titles>)
  const page = resources.map(([name, own]) => [`${name}.page`, own.page ?? own.many])
  const details = resources.map(([name, own]) => [`${name}.details`, own.details ?? own.one])
  return { ...titles, ...Object.fromEntries([...page, ...details]) }
}

/** The top bar's title on a path, in a language; undefined where the list above does not name the path. */
export function titleOf(path: string, language: Language): string | undefined {
  const english = TITLES[path] ?? RECORD_TITLES[path]
  const key = Object.entries(words('en')).find(([, title]) => title === english)?.[0]
  return key === undefined ? undefined : words(language)[key]
}
