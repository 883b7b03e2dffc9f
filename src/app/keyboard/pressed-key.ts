/** The keys that the console handles. */
const KEYS = ['/', '?', 'j', 'k', 'x', 'e', 'c', 'n'] as const
export type Key = (typeof KEYS)[number]

/** The parts of a key event that matter, so that the logic is tested without a browser. */
export interface Press {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
  isComposing: boolean
  defaultPrevented: boolean
}

export function isPaletteKey(press: Press): boolean {
  return (
    (press.ctrlKey || press.metaKey) && !press.altKey && !press.shiftKey && press.key.toLowerCase() === 'k'
  )
}

/** Whether the key types one character. AltGr, as Ctrl with Alt, types some. */
export function isCharacter(press: Press): boolean {
  if (press.defaultPrevented || press.isComposing || press.metaKey) return false
  return press.ctrlKey === press.altKey && [...press.key].length === 1
}

/**
 * Keys are read by character, not by position: on a Turkish keyboard `/` and `?` need Shift, so Shift is ignored
 * for symbols, but not for letters.
 */
export function pressedKey(press: Press): Key | null {
  if (press.defaultPrevented || press.isComposing) return null
  if (press.ctrlKey || press.metaKey || press.altKey) return null
  const key = KEYS.find((known) => known === press.key.toLowerCase())
  if (!key) return null
  return press.shiftKey && /[a-z]/.test(key) ? null : key
}

/** Buttons and checkboxes take no text: a row's checkbox may have the focus while keys move on. */
const WITHOUT_TEXT = new Set(['button', 'checkbox', 'color', 'file', 'image', 'radio', 'reset', 'submit'])
/** A widget that handles keys itself: in a list of options a letter selects an option. */
const CONTROLS =
  'textarea, select, [contenteditable]:not([contenteditable="false"]), [role="textbox"], [role="searchbox"], [role="combobox"], [role="listbox"], [role="menu"], [role="spinbutton"], [role="slider"], [role="tree"], [role="grid"]'

export function isControl(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false
  if (target instanceof HTMLInputElement) return !WITHOUT_TEXT.has(target.type)
  return target.closest(CONTROLS) !== null
}
