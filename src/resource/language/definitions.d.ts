/** Written by scripts/support/definitions.ts. Empty in a browser, which fetches the definitions. */
declare module 'virtual:definitions' {
  export const BUNDLED_DEFINITIONS: readonly import('@/resource/language/entry').ResourceEntry[]
  export const BUNDLED_PATHS: readonly string[]
}
