/**
 * Runs inline, right after the element it fills: sets theme and language, and shows the sign-in form or the frame of
 * the console from the templates in the page's head. Every visit parses it before the first paint: keep it small.
 */
import { isSidebarOpen } from '@/app/sidebar-cookie'
import { detectLanguage, LANGUAGE_STORAGE_KEY } from '@/i18n/language'
import { isSessionKey } from '@/session/stored-session'
import { EARLY_PAGE_ID, PRESSED_ATTRIBUTE } from '@/ui/early-page'
import { asThemeChoice, resolveTheme, THEME_STORAGE_KEY } from '@/ui/theme-store'

/** Separate pages for visitors with and without a session. */
const PUBLIC_PATHS = ['/signup', '/forgot-password', '/reset-password', '/waf-test']

function stored(key: string): string | null {
  try {
    return window.localStorage.getItem(key)
  } catch {
    return null
  }
}

function hasSession(): boolean {
  try {
    return Object.keys(window.localStorage).some(isSessionKey)
  } catch {
    return false
  }
}

const root = document.documentElement
const language = detectLanguage(stored(LANGUAGE_STORAGE_KEY), window.navigator.languages)
const isDark = window.matchMedia('(prefers-color-scheme: dark)').matches
const theme = resolveTheme(asThemeChoice(stored(THEME_STORAGE_KEY)), isDark)
root.dataset.theme = theme
root.style.colorScheme = theme
root.lang = language

function templateName(): string | null {
  const { pathname } = window.location
  if (PUBLIC_PATHS.includes(pathname)) return null
  if (hasSession()) return 'early-shell'
  return pathname === '/login' || pathname === '/' ? `early-login-${language}-${theme}` : null
}

/**
 * Until the script has loaded a click is only recorded, and the page that follows repeats it. Enter counts as
 * a click. It is recorded on pointer down: if the page is replaced before pointer up, no button receives the
 * click.
 */
function keepPresses(early: HTMLElement): void {
  const buttons = [...early.querySelectorAll('button')]
  const buttonOf = ({ target }: Event) => (target instanceof Element ? target.closest('button') : null)
  const note = (pressed: HTMLButtonElement | null) => {
    early.toggleAttribute(PRESSED_ATTRIBUTE, pressed !== null)
    if (pressed) early.setAttribute(PRESSED_ATTRIBUTE, String(buttons.indexOf(pressed)))
    for (const button of buttons) button.toggleAttribute('aria-busy', button === pressed)
  }
  let down: HTMLButtonElement | null = null
  early.addEventListener('submit', (event) => event.preventDefault())
  early.addEventListener('pointerdown', (event) => {
    down = buttonOf(event)
    if (down) note(down)
  })
  document.addEventListener('pointerup', (event) => {
    // Releasing outside the button is not a press.
    if (down && buttonOf(event) !== down) note(null)
    down = null
  })
  early.addEventListener('click', (event) => {
    const button = buttonOf(event)
    if (button) note(button)
  })
}

function showEarlyPage(): void {
  const early = document.getElementById(EARLY_PAGE_ID)
  const name = templateName()
  const template = name === null ? null : document.getElementById(name)
  if (!early) return
  if (!(template instanceof HTMLTemplateElement)) {
    early.remove()
    return
  }
  early.append(template.content.cloneNode(true))
  if (name === 'early-shell') early.dataset.sidebar = isSidebarOpen(document.cookie) ? 'open' : 'collapsed'
  else early.querySelector<HTMLInputElement>('input[name="email"]')?.focus()
  keepPresses(early)
}

/** The page would wait forever for a script that failed to load. */
function reportLostScript(event: Event): void {
  if (!(event.target instanceof HTMLScriptElement)) return
  const early = document.getElementById(EARLY_PAGE_ID)
  const template = document.getElementById(`early-failed-${language}`)
  if (early && template instanceof HTMLTemplateElement)
    early.replaceChildren(template.content.cloneNode(true))
}

window.addEventListener('error', reportLostScript, true)
showEarlyPage()
