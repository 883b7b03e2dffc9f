/** The steps of a start, in their order; one without work is skipped. */
export const START_STEPS = ['build', 'database', 'migrations', 'demo', 'console'] as const

/** How far a start is: `done` of `total` parts of its step. */
export interface StartProgress {
  step: (typeof START_STEPS)[number]
  done: number
  total: number
}

export type ReportProgress = (progress: StartProgress) => void
