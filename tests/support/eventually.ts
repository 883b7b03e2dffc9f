import { vi } from 'vitest'
import { patience } from './patience'

/** Waits until the assertions hold. A second, the usual limit, is too short beside other suites. */
export const eventually = <T>(assert: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assert, { timeout: patience(20_000), interval: 20 })
