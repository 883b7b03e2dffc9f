import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCan } from '@/access/use-can'
import { LANGUAGES, type Language } from '@/i18n/language'
import { useLanguage } from '@/i18n/use-language'
import { useMayChoose, useRefusedFields } from '@/resource/fields/guards'
import type { Definition } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { type ResourceWords, useFieldWords, useWords, wordsIn } from '@/resource/language/words'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { exportColumns } from '@/resource/tools/export/export-columns'
import type { FileTable } from '@/resource/tools/import/file-table'
import type { FieldNames } from '@/resource/tools/import/import-fields'
import { importFields, importModes } from '@/resource/tools/import/import-fields'
import { useSaveList } from '@/resource/tools/import/save-lists'
import { useImportFile } from '@/resource/tools/import/use-import-file'
import { useImportPlan } from '@/resource/tools/import/use-import-plan'
import { useImportRun } from '@/resource/tools/import/use-import-run'

interface FieldWords {
  /** In the reader's language first, then in the others. */
  all: () => ResourceWords[]
  names: (fields: readonly string[]) => FieldNames[]
  /** Loads the words of the languages that nobody reads here. */
  load: () => Promise<void>
}

/** The names of fields and values in every language: a file may be written in any of them. */
function useFieldNames(definition: Definition, language: Language): FieldWords {
  const { i18n } = useTranslation('resources')
  return useMemo(() => {
    const order = [language, ...LANGUAGES.filter((each) => each !== language)]
    const all = () => order.map((each) => wordsIn(i18n, each, definition))
    return {
      all,
      names: (fields) => {
        const words = all()
        return fields.map((field) => ({ field, names: words.map((each) => each.field(field)) }))
      },
      load: async () => {
        const missing = LANGUAGES.filter((each) => !i18n.hasResourceBundle(each, 'resources'))
        if (missing.length > 0) await i18n.reloadResources(missing, ['resources'])
      },
    }
  }, [i18n, definition, language])
}

export const STEPS = ['file', 'columns', 'check', 'done'] as const
export type ImportStep = (typeof STEPS)[number]

/** An import from its file to its end. */
export function useImport(definition: Definition) {
  const { t } = useTranslation('import')
  const { t: engine } = useTranslation('engine')
  const language = useLanguage()
  const words = useWords(definition)
  const fieldWord = useFieldWords()
  const scope = useResourceScope()
  const saveList = useSaveList()
  const can = useCan()
  const mayChoose = useMayChoose()
  const refused = useRefusedFields(definition)
  const fields = importFields(definition, refused, findDefinition).filter((name) => {
    const field = definition.fields[name]
    return field !== undefined && mayChoose(field)
  })
  const may = (verb: string) => can(definition.name, verb).allowed
  const modes = importModes(definition).filter(
    (mode) => (mode === 'update' || may('create')) && (mode === 'insert' || may('edit')),
  )
  const [step, setStep] = useState<'file' | 'columns' | 'check'>('file')
  const [chosenCompany, setCompany] = useState<string | null>(null)
  const isShared = definition.tenant === false
  const companyId = isShared ? null : (scope.companyId ?? chosenCompany)

  const names = useFieldNames(definition, language)
  const handleTable = (table: FileTable) => planning.adopt(table, names.names(fields))
  const source = useImportFile(names.load, handleTable)
  const planning = useImportPlan({ definition, table: source.table, modes, language })
  const { table } = source
  const run = useImportRun(
    definition,
    table && {
      plan: planning.plan,
      table,
      words: names.all(),
      scope: scope.filter,
      companyId,
      find: findDefinition,
    },
  )

  const fileWords = {
    column: words.field,
    field: fieldWord,
    value: (_resource: string, field: string, value: string) => words.value(field, value),
    yes: engine('yes'),
    no: engine('no'),
    unit: (unit: 's' | 'min') => engine(`units.${unit}`, { amount: '' }).trim(),
  }
  return {
    words,
    fields,
    modes,
    step,
    shown: (run.state.phase === 'done' ? 'done' : step) as ImportStep,
    source,
    planning,
    run,
    company: isShared || scope.companyId !== null ? null : { id: chosenCompany, onChange: setCompany },
    isFileReady: table !== null && source.problem === null && !source.isReading && table.rows.length > 0,
    isPlanReady: planning.problems.length === 0 && (isShared || companyId !== null),
    toFile: () => {
      run.reset()
      setStep('file')
    },
    /** After one part of a long file: reads the next. */
    toNextPart:
      table?.parts && table.parts.number < table.parts.lines.length
        ? () => {
            run.reset()
            setStep('file')
            source.reread({ part: (table.parts?.number ?? 0) + 1 })
          }
        : null,
    toColumns: () => {
      run.reset()
      setStep('columns')
    },
    toCheck: () => {
      setStep('check')
      void run.check()
    },
    downloadTemplate: () =>
      saveList({
        name: t('templateFile', { name: words.many }),
        titles: exportColumns(definition, fields, fileWords, findDefinition).map(({ title }) => title),
        rows: [],
        format: 'xlsx',
        language,
      }),
  }
}
