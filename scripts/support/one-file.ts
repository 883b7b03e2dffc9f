import type { SSROptions } from 'vite'

/**
 * A program with all that it imports in one file: finding and reading hundreds of modules is a quarter of a server's
 * start. PGlite stays outside, since its WASM lies beside it, and so do tools that a program starts.
 */
export const ONE_FILE: SSROptions = {
  noExternal: true,
  external: ['@electric-sql/pglite', 'tsx', 'vite'],
}
