import { useMemo, useState } from 'react'
import type { Language } from '@/i18n/language'
import { kindOf } from '@/resource/fields/kinds'
import type { Definition } from '@/resource/language/definition.generated'
import type { ImportPlan } from '@/resource/tools/import/check-rows'
import type { Cell, FileTable } from '@/resource/tools/import/file-table'
import {
  defaultKeys,
  type FieldNames,
  type ImportMode,
  matchColumns,
  missingFields,
} from '@/resource/tools/import/import-fields'
import { findDateForm, findNumberForm, type WrittenForms } from '@/resource/tools/import/written-forms'

/** Somebody's choice; null means the proposed value. */
interface Choice {
  titles: readonly string[]
  columns: readonly (string | null)[]
  mode: ImportMode | null
  keys: readonly string[] | null
  clears: boolean
  forms: Partial<WrittenForms>
}

/** Why the rows cannot be checked yet. */
export type PlanProblem = 'none' | 'twice' | 'missing' | 'keysNeeded'

/** How numbers and days are written in the file, where a column holds any. */
interface FormQuestion {
  isAsked: boolean
  /** The file does not tell. */
  isOpen: boolean
}

export interface ImportPlanning {
  plan: ImportPlan
  problems: PlanProblem[]
  /** Fields that two columns fill in. */
  twice: string[]
  missing: string[]
  questions: Record<keyof WrittenForms, FormQuestion>
  /** Takes a file: its columns find their fields, unless they are those of the file before. */
  adopt: (table: FileTable, fields: readonly FieldNames[]) => void
  change: (next: Partial<Omit<Choice, 'titles'>>) => void
}

const NOTHING: Choice = { titles: [], columns: [], mode: null, keys: null, clears: false, forms: {} }

function cellsOf(
  table: FileTable | null,
  definition: Definition,
  columns: Choice['columns'],
  form: keyof WrittenForms,
): Cell[] {
  if (!table) return []
  const places = columns.flatMap((name, index) => {
    const field = name === null ? undefined : definition.fields[name]
    return field && kindOf(field.type).file?.form === form ? [index] : []
  })
  return places.flatMap((place) => table.rows.map(({ cells }) => cells[place] ?? null))
}

/** Which mark decimals have when the file does not tell: who separates by commas does not write them in numbers. */
function usualNumbers(table: FileTable | null, language: Language) {
  if (table?.text?.separator === ';') return 'comma'
  if (table?.text?.separator === ',') return 'point'
  return language === 'tr' ? 'comma' : 'point'
}

interface PlanningOptions {
  definition: Definition
  table: FileTable | null
  modes: readonly ImportMode[]
  language: Language
}

/** The plan is proposed from the file's content, and changed by the user who imports it. */
export function useImportPlan({ definition, table, modes, language }: PlanningOptions): ImportPlanning {
  const [choice, setChoice] = useState<Choice>(NOTHING)
  const { columns } = choice
  const found = useMemo(
    () => ({
      number: findNumberForm(cellsOf(table, definition, columns, 'number'), usualNumbers(table, language)),
      date: findDateForm(cellsOf(table, definition, columns, 'date'), 'day'),
    }),
    [table, definition, columns, language],
  )
  const hasText = useMemo(
    () => ({
      number: cellsOf(table, definition, columns, 'number').some((cell) => typeof cell === 'string'),
      date: cellsOf(table, definition, columns, 'date').some((cell) => typeof cell === 'string'),
    }),
    [table, definition, columns],
  )

  const mapped = columns.filter((name) => name !== null)
  const proposed = defaultKeys(definition, mapped)
  const keys = (choice.keys ?? proposed).filter((name) => mapped.includes(name))
  const usual = keys.length === 0 && modes.includes('insert') ? 'insert' : (modes[0] ?? 'update')
  const mode = choice.mode ?? usual
  const twice = [...new Set(mapped.filter((name, index) => mapped.indexOf(name) !== index))]
  const missing = missingFields(definition, mapped)
  const problems: PlanProblem[] = []
  if (mapped.length === 0) problems.push('none')
  if (twice.length > 0) problems.push('twice')
  if (missing.length > 0 && mode !== 'update' && mapped.length > 0) problems.push('missing')
  if (keys.length === 0 && mode === 'update') problems.push('keysNeeded')
  return {
    plan: {
      columns,
      mode,
      keys,
      clears: choice.clears,
      forms: { number: found.number.form, date: found.date.form, ...choice.forms },
    },
    problems,
    twice,
    missing,
    questions: {
      number: { isAsked: hasText.number, isOpen: found.number.isOpen && !choice.forms.number },
      date: { isAsked: hasText.date, isOpen: found.date.isOpen && !choice.forms.date },
    },
    adopt: ({ titles }, fields) =>
      setChoice((before) => {
        if (JSON.stringify(before.titles) === JSON.stringify(titles)) return before
        return { ...before, titles, columns: matchColumns(titles, fields), keys: null, mode: null, forms: {} }
      }),
    change: (next) => setChoice((before) => ({ ...before, ...next })),
  }
}
