import { vi } from 'vitest'

/** A mock stays in the modules that imported it: the next file of the process imports its own. */
vi.resetModules()
