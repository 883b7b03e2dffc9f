/** The value of one cell of an exported file, whatever its format; null is an empty cell. */
export type CellValue =
  | { kind: 'text'; text: string }
  | { kind: 'number'; number: number }
  /** `2026-11-21` */
  | { kind: 'day'; day: string }
  | { kind: 'instant'; at: Date }
  | null

/**
 * A spreadsheet takes these for the start of a formula; some take the wide forms for the plain ones.
 * Blanks before the sign do not keep a spreadsheet from it.
 */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/

/** Whether a text, opened in a spreadsheet, could run instead of being read. */
export function isFormula(text: string): boolean {
  return FORMULA.test(text)
}

export function writeText(text: string): CellValue {
  return text === '' ? null : { kind: 'text', text }
}

export function writeList(values: readonly string[]): CellValue {
  return writeText(values.join(', '))
}

export function writeNumber(value: unknown): CellValue {
  const number = Number(value)
  // A number that a spreadsheet would round is kept as it is written.
  const isExact = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
  return isExact ? { kind: 'number', number } : writeText(String(value))
}

export interface ExportWriter {
  add: (row: readonly CellValue[]) => void
  /** Resolves once what was added has left the page's memory. */
  flush: () => Promise<void>
  /** After it the file is whole. */
  end: () => Promise<void>
}

/** Takes the next bytes of a file; once it has, their memory is the caller's again. */
export type Write = (bytes: Uint8Array<ArrayBuffer>) => Promise<void>
