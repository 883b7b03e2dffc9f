import { readFileSync } from 'node:fs'

/** The cells of the tables in docs/glossary.md. */
export const GLOSSARY_ROWS: readonly string[][] = readFileSync(
  new URL('../../docs/glossary.md', import.meta.url),
  'utf8',
)
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))

/**
 * The product's own resources and pages, which the glossary names. What an admin adds may lack demo data, glossary
 * entries and Turkish texts.
 */
export const OWN_NAMES: ReadonlySet<string | undefined> = new Set(
  GLOSSARY_ROWS.map((cells) => cells[3]?.replaceAll('`', '')),
)
