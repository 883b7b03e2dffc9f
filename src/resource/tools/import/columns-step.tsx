import { Alert, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Definition } from '@/resource/language/definition.generated'
import type { ResourceWords } from '@/resource/language/words'
import { cellText, type FileTable, isEmptyCell } from '@/resource/tools/import/file-table'
import type { ImportMode } from '@/resource/tools/import/import-fields'
import { PlanQuestions } from '@/resource/tools/import/plan-questions'
import type { ImportPlanning } from '@/resource/tools/import/use-import-plan'

const SAMPLES = 3
const LEFT_OUT = ''

interface ColumnsStepProps {
  definition: Definition
  words: ResourceWords
  table: FileTable
  fields: readonly string[]
  modes: readonly ImportMode[]
  planning: ImportPlanning
  company: { id: string | null; onChange: (id: string) => void } | null
}

function samplesOf(table: FileTable, index: number): string[] {
  const samples = new Set<string>()
  for (const { cells } of table.rows) {
    const cell = cells[index]
    if (!isEmptyCell(cell)) samples.add(cellText(cell ?? null))
    if (samples.size === SAMPLES) break
  }
  return [...samples]
}

/** Asks for the fields of the columns, and for how the rows are imported. */
export function ColumnsStep(props: ColumnsStepProps) {
  const { definition, words, table, fields, planning } = props
  const { t } = useTranslation('import')
  const { plan, problems, twice, missing } = planning
  const listed = (names: readonly string[]) => names.map((name) => words.field(name)).join(', ')
  const leftOut = table.titles.filter((_title, index) => plan.columns[index] === null)
  const options = [
    { value: LEFT_OUT, label: t('columns.leaveOut') },
    ...fields.map((value) => ({
      value,
      label: definition.fields[value]?.required
        ? `${words.field(value)} (${t('columns.required')})`
        : words.field(value),
    })),
  ]
  return (
    <div className="k-import">
      <div className="k-import-columns">
        <table>
          <thead>
            <tr>
              <th scope="col">{t('columns.column')}</th>
              <th scope="col">{t('columns.samples')}</th>
              <th scope="col">{t('columns.field')}</th>
            </tr>
          </thead>
          <tbody>
            {table.titles.map((title, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one title.
              <tr key={index} data-left-out={plan.columns[index] === null}>
                <th scope="row">{title}</th>
                <td className="k-soft">
                  {samplesOf(table, index).map((sample) => (
                    <span key={sample} className="k-import-sample">
                      {sample}
                    </span>
                  ))}
                </td>
                <td>
                  <Select
                    aria-label={t('columns.fieldOf', { column: title })}
                    value={plan.columns[index] ?? LEFT_OUT}
                    status={twice.includes(plan.columns[index] ?? LEFT_OUT) ? 'error' : undefined}
                    options={options}
                    showSearch={{ optionFilterProp: 'label' }}
                    onChange={(value) =>
                      planning.change({
                        columns: plan.columns.map((name, at) =>
                          at === index ? (value === LEFT_OUT ? null : value) : name,
                        ),
                      })
                    }
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div role="status" className="k-import">
        {problems.includes('none') ? <Alert type="error" showIcon title={t('columns.none')} /> : null}
        {problems.includes('twice') ? (
          <Alert type="error" showIcon title={t('columns.twice', { field: listed(twice) })} />
        ) : null}
        {problems.includes('missing') ? (
          <Alert type="error" showIcon title={t('columns.missing', { fields: listed(missing) })} />
        ) : null}
        {leftOut.length > 0 && !problems.includes('none') ? (
          <p className="k-soft">
            {t('columns.unmatched', { count: leftOut.length, columns: leftOut.join(', ') })}
          </p>
        ) : null}
      </div>
      <PlanQuestions {...props} />
    </div>
  )
}
