/** Written by scripts/support/definition-paths.ts. */
declare module 'virtual:definition-paths' {
  export const DEFINITION_PATHS: readonly string[]
}
