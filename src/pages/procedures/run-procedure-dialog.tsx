/** Definitions name the dialog by this path; other pages open it from `src/runs`. */
export { RunProcedureDialog } from '@/runs/start/run-procedure-dialog'
