/** What the shell hands to the dialogs that a key opens. */
export interface OverlayProps {
  onClose: () => void
  onShowKeys: () => void
}
