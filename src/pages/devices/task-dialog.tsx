/** Definitions name the dialog by this path; other pages open it from `src/runs`. */
export { TaskDialog } from '@/runs/start/task-dialog'
