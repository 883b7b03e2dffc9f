import type { SSROptions } from 'vite'

/**
 * A program with all that it imports in one file: finding and reading hundreds of modules is a quarter of a server's
 * start. PGlite and the parser of SQL stay outside, since their WASM lies beside them, and so does the IMAP client, which few servers need, and so do tools that a program starts.
 */
export const ONE_FILE: SSROptions = {
  noExternal: true,
  external: ['@electric-sql/pglite', 'libpg-query', 'imapflow', 'tsx', 'vite'],
}
