/** The keys that do something by themselves. Others are the browser's. */
const KEYS = ['/', '?', 'j', 'k', 'x', 'e', 'c', 'n'] as const
export type Key = (typeof KEYS)[number]

/** What of a key press and its target decides; a part of the event, so that it is tested without a browser. */
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

/**
 * By what the key writes, not where it lies: on a Turkish keyboard `/` and `?` need Shift, which is therefore no
 * modifier of a sign. Of a letter it is.
 */
export function pressedKey(press: Press): Key | null {
  if (press.defaultPrevented || press.isComposing) return null
  if (press.ctrlKey || press.metaKey || press.altKey) return null
  const key = KEYS.find((known) => known === press.key.toLowerCase())
  if (!key) return null
  return press.shiftKey && /[a-z]/.test(key) ? null : key
}

/** Buttons and boxes to tick take no text: a row's own box may have the focus while keys move on. */
const WITHOUT_TEXT = new Set(['button', 'checkbox', 'color', 'file', 'image', 'radio', 'reset', 'submit'])
/** A widget that handles keys itself: in a list of options a letter selects an option. */
const CONTROLS =
  'textarea, select, [contenteditable]:not([contenteditable="false"]), [role="textbox"], [role="searchbox"], [role="combobox"], [role="listbox"], [role="menu"], [role="spinbutton"], [role="slider"], [role="tree"], [role="grid"]'

export function isControl(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false
  if (target instanceof HTMLInputElement) return !WITHOUT_TEXT.has(target.type)
  return target.closest(CONTROLS) !== null
}

/** Dialogs that were closed may stay in the document, unseen. */
export function isUnderDialog(): boolean {
  const dialogs = document.querySelectorAll('[role="dialog"], [role="alertdialog"], [role="menu"]')
  return [...dialogs].some((dialog) => dialog.getClientRects().length > 0)
}
