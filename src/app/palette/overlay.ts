/** The shell hands these to the dialogs that a key opens. */
export interface OverlayProps {
  onClose: () => void
  onShowKeys: () => void
  /** Returns the text typed since the palette's key; called once the palette's input has the focus. */
  takeTyped: () => string
}
