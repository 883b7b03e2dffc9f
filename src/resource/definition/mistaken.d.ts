/** Files of `resources/` with a mistake, as the build found them: see scripts/support/definition-mistakes.ts. */
declare const MISTAKEN_DEFINITIONS: readonly string[]
