/** Definitions name the dialog by this path; other pages open it from `src/runs`. */
export { RemoteSessionDialog } from '@/runs/remote/remote-session-dialog'
