/** What the shell hands to the dialogs that a key opens. */
export interface OverlayProps {
  onClose: () => void
  onShowKeys: () => void
  /** What was typed since the palette's key, called once its input has the focus. */
  takeTyped: () => string
}
