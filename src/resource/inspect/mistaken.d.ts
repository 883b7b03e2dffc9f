/** Files of `resources/` with an error, as found by the build: see scripts/support/definition-mistakes.ts. */
declare const MISTAKEN_DEFINITIONS: readonly string[]
