const TYPING = 'input:not([type="checkbox"]), textarea, select, [contenteditable="true"], [role="textbox"]'
const OVERLAYS = '[role="dialog"], [role="alertdialog"], [role="menu"]'
/** The library's name for what is still seen while it closes, for as long as half a second. */
const LEAVING = '[class*="-leave"]'

/** Whether a dialog or a menu is open: it takes the keys. */
export function isUnderOverlay(): boolean {
  // Closed overlays stay in the page, unseen.
  return [...document.querySelectorAll(OVERLAYS)].some(
    (overlay) => overlay.checkVisibility() && !overlay.closest(LEAVING),
  )
}

/** A key without modifiers, pressed outside of inputs, dialogs and menus. */
export function isPlainKey(event: KeyboardEvent, key: string): boolean {
  if (event.key !== key || event.defaultPrevented || event.repeat || event.isComposing) return false
  // AltGr types `[` and `]` on a Turkish keyboard; browsers report it as Ctrl with Alt.
  const isAltGr = event.getModifierState('AltGraph') || (event.ctrlKey && event.altKey)
  if (!isAltGr && (event.ctrlKey || event.metaKey || event.altKey)) return false
  if (event.target instanceof Element && event.target.closest(TYPING)) return false
  return !isUnderOverlay()
}
