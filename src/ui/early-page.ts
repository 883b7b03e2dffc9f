/** Input typed and pressed in the HTML's sign-in form before the console's script arrived. */
export interface EarlyForm {
  email: string
  password: string
  /** The name of the field that has the focus. */
  focus: string | null
  /** The index of the button that was pressed among the buttons of the page; null without a press. */
  pressed: number | null
}

/** The element that shows a page until React's page is mounted. */
export const EARLY_PAGE_ID = 'early'
export const PRESSED_ATTRIBUTE = 'data-pressed'

/** Whether a page from the HTML is shown that React's page has yet to replace. */
export const isEarlyPageShown = (): boolean =>
  typeof document !== 'undefined' && document.getElementById(EARLY_PAGE_ID) !== null

/** Removes the early page. Call it in a layout effect, so that no frame shows both pages or neither. */
export function removeEarlyPage(): void {
  document.getElementById(EARLY_PAGE_ID)?.remove()
}

/**
 * Reads the early form and removes it; null if there is no such form. Like `removeEarlyPage`, for a layout
 * effect.
 */
export function takeEarlyForm(): EarlyForm | null {
  const form = readEarlyForm()
  removeEarlyPage()
  return form
}

function readEarlyForm(): EarlyForm | null {
  const early = document.getElementById(EARLY_PAGE_ID)
  const email = early?.querySelector<HTMLInputElement>('input[name="email"]')
  const password = early?.querySelector<HTMLInputElement>('input[name="password"]')
  if (!early || !email || !password) return null
  const focused = [email, password].find((input) => input === document.activeElement)
  const pressed = early.getAttribute(PRESSED_ATTRIBUTE)
  return {
    email: email.value,
    password: password.value,
    focus: focused?.name ?? null,
    pressed: pressed === null ? null : Number(pressed),
  }
}
