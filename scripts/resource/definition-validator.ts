import { fileURLToPath } from 'node:url'
import { compileValidator } from './validator'

/**
 * `#definition-validator` outside of Vite (see `imports` in package.json). In the console and in the tests, the plugin
 * of `scripts/support/definition-validator.ts` takes its place.
 */
export const { validateDefinition, FIELD_TYPES } = compileValidator(
  fileURLToPath(new URL('../..', import.meta.url)),
)
