/**
 * Gives the focus to the button of a menu that closes. A hidden entry would lose it, and a dialog that the entry opens
 * could not give it back.
 */
export function leaveMenu(button: HTMLElement | null): void {
  if (document.activeElement?.closest('[role="menu"]')) button?.focus()
}
