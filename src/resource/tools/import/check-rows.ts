import type { DataError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { fold } from '@/i18n/fold'
import { parseDay, parseInstant } from '@/resource/fields/date/written-dates'
import { type FileCell, isFormula, type ReadValue, withoutGuard } from '@/resource/fields/file-values'
import type { FieldProblem } from '@/resource/fields/kind-interface'
import { kindOf } from '@/resource/fields/kinds'
import { parseAmount } from '@/resource/fields/money/kind'
import type { Definition, Field } from '@/resource/language/definition.generated'
import type { ResourceWords } from '@/resource/language/words'
import { filterFields, mentionedFields } from '@/resource/request/filter/mentioned-fields'
import type { FilterScope } from '@/resource/request/filter/scope'
import { checkField, isShown } from '@/resource/screens/form/check-record'
import { type Cell, cellText, type FileTable, isEmptyCell } from '@/resource/tools/import/file-table'
import type { ImportMode } from '@/resource/tools/import/import-fields'
import type { WrittenForms } from '@/resource/tools/import/written-forms'

export interface ValueReader extends Pick<FileCell, 'choice'> {
  forms: WrittenForms
}

const AROUND = /^\s*(?:\p{Sc}|%|TL|[A-Z]{3})?\s*(-?[\d.,'\s\u00a0\u202f]+)\s*(?:\p{Sc}|%|TL|[A-Z]{3})?\s*$/u
const POWER = /^-?\d+(?:[.,]\d+)?e[+-]?\d{1,2}$/i

function readNumber(cell: Cell, form: WrittenForms['number']): ReadValue {
  if (typeof cell === 'number') return { value: cell }
  const text = cellText(cell).trim()
  const plain = AROUND.exec(text)?.[1]
  const number = POWER.test(text)
    ? Number(text.replace(',', '.'))
    : plain === undefined
      ? null
      : parseAmount(plain, form === 'comma' ? 'tr' : 'en')
  if (number === null || !Number.isFinite(number)) return { problem: { key: 'number' } }
  // More digits than a number of ours holds are sent as they are written.
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    return { value: (plain ?? '').replace(/[^\d-]/g, '') }
  return { value: number }
}

/** A bare number is no date: sheets mark theirs as dates. */
function readDate(cell: Cell, parse: (text: string) => string | null | undefined): ReadValue {
  const value = typeof cell === 'number' ? null : parse(cellText(cell))
  return value ? { value } : { problem: { key: 'date' } }
}

/** Reads the filled-in cell's value for the field. Whether the field takes it is for the form's own checks to say. */
export function readValue(cell: Cell, field: Field, { forms, choice }: ValueReader): ReadValue {
  const { file, keepsSpaces } = kindOf(field.type)
  if (file?.read && cell !== null) {
    const fileCell: FileCell = {
      raw: cell,
      text: cellText(cell),
      number: () => readNumber(cell, forms.number),
      day: () => readDate(cell, (text) => parseDay(text, forms.date)?.day),
      instant: () => readDate(cell, (text) => parseInstant(text, forms.date)),
      choice,
    }
    return file.read(fileCell, field)
  }
  const text = withoutGuard(cellText(cell))
  // An exported file must import unchanged.
  return { value: keepsSpaces ? text : text.trim() }
}

/** The choices for the file: the fields of its columns, and how its rows are imported. */
export interface ImportPlan {
  /** The field of each column; null for one that is left out. */
  columns: readonly (string | null)[]
  mode: ImportMode
  keys: readonly string[]
  /** Whether an empty cell empties the field, or leaves it as it is. */
  clears: boolean
  forms: WrittenForms
}

export interface ImportRow {
  line: number
  values: Row
}

export interface CheckedRows {
  /** The rows in which nothing was found wrong. */
  rows: ImportRow[]
  /** The others, with the values that could be read. */
  wrong: ImportRow[]
  mistakes: Mistake[]
  /** Cells that a spreadsheet would run: kept as text. */
  formulas: { count: number; places: string[] }
}

/** A mistake in one line; if it has no field, it is about the whole line. */
export interface Mistake {
  line: number
  field: string | null
  /** The value in the file. */
  text: string
  /** A key under `engine:check` or `import:mistake`. */
  problem: FieldProblem
  /** The database's error, where we have no key for it. */
  failure?: DataError
}

/**
 * The definition as far as a file can be held to it: what depends on fields that are not in the file is known to
 * the database alone. A value that may be missing is required only where every row is new.
 */
export function importDefinition(
  definition: Definition,
  { columns, keys, mode, clears }: ImportPlan,
): Definition {
  const isThere = (name: string) => columns.includes(name)
  const fields = Object.entries(definition.fields).map(([name, field]) => {
    const { when, check, required, ...rest } = field
    const beside = [...filterFields(when), ...mentionedFields(when)]
    const isNeeded =
      keys.includes(name) || (required === true && (clears || (mode === 'insert' && !('default' in field))))
    const held = {
      ...rest,
      ...(isNeeded ? { required: true } : {}),
      ...(when && beside.every(isThere) ? { when } : {}),
      ...(check && mentionedFields(check).every(isThere) ? { check } : {}),
    }
    return [name, held as Field] as const
  })
  return { ...definition, fields: Object.fromEntries(fields) }
}

/** The words of a field's values, in each of the languages, to what is stored. The value itself goes first. */
function choices(
  field: Field,
  name: string,
  words: readonly ResourceWords[],
): (word: string) => string | undefined {
  const values = kindOf(field.type).choices?.(field)?.known ?? []
  const known = new Map<string, string>()
  for (const value of [...values].reverse())
    for (const each of [...words].reverse()) known.set(fold(each.value(name, value).trim()), value)
  for (const value of values) known.set(fold(value), value)
  const exact = new Set(values)
  return (word) => (exact.has(word) ? word : known.get(fold(word)))
}

const PLACES = 20
/** Rows between two looks at whether somebody wants the page. */
const SLICE = 500

export interface CheckOptions {
  definition: Definition
  plan: ImportPlan
  table: FileTable
  /** In every language in which a file may be written. */
  words: readonly ResourceWords[]
  scope: FilterScope
  isStopped: () => boolean
}

/** Reads and checks every row as the form would. In slices, so that the page answers meanwhile. */
export async function checkRows(options: CheckOptions): Promise<CheckedRows> {
  const check = rowCheck(options)
  for (const [index, row] of options.table.rows.entries()) {
    if (index % SLICE === SLICE - 1) {
      await new Promise((resolve) => setTimeout(resolve))
      if (options.isStopped()) break
    }
    check.add(row.line, row.cells)
  }
  return check.result
}

function rowCheck({ definition, plan, words, scope }: CheckOptions) {
  const held = importDefinition(definition, plan)
  const columns = plan.columns.flatMap((name, index) => {
    const field = name === null ? undefined : held.fields[name]
    if (name === null || !field) return []
    const reader: ValueReader = { forms: plan.forms, choice: choices(field, name, words) }
    return [{ name, field, index, reader }]
  })
  const result: CheckedRows = { rows: [], wrong: [], mistakes: [], formulas: { count: 0, places: [] } }

  const add = (line: number, cells: readonly Cell[]) => {
    const record: Row = {}
    const found: Mistake[] = []
    for (const { name, field, index, reader } of columns) {
      const cell = cells[index] ?? null
      if (isEmptyCell(cell)) {
        record[name] = plan.clears ? (kindOf(field.type).empty ?? null) : null
        continue
      }
      const read = readValue(cell, field, reader)
      if ('value' in read) record[name] = read.value
      else found.push({ line, field: name, text: cellText(cell), problem: read.problem })
      if (typeof record[name] === 'string' && isFormula(withoutGuard(cellText(cell)))) {
        result.formulas.count++
        if (result.formulas.places.length < PLACES) result.formulas.places.push(`${line}`)
      }
    }
    const wrong = new Set(found.map(({ field }) => field))
    for (const { name, index } of columns) {
      const problem = wrong.has(name) ? null : checkField(held, name, record, scope)
      if (problem) found.push({ line, field: name, text: cellText(cells[index] ?? null), problem })
    }
    const unread = new Set(found.map(({ field }) => field))
    const values = columns
      .filter(({ name }) => isShown(held, name, record, scope) && (plan.clears || record[name] !== null))
      .filter(({ name }) => !unread.has(name))
      .map(({ name }) => [name, record[name]] as const)
    result.mistakes.push(...found)
    const rows = found.length > 0 ? result.wrong : result.rows
    rows.push({ line, values: Object.fromEntries(values) })
  }
  return { add, result }
}
