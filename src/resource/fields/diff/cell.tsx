import { useTranslation } from 'react-i18next'
import type { Definition } from '@/resource/definition/definition.generated'
import { Blank } from '@/resource/fields/blank'
import { FieldCell } from '@/resource/fields/cells'
import { type Change, definitionOfTable, readChanges } from '@/resource/fields/diff/changes'
import type { CellProps } from '@/resource/fields/kind'
import { resourceEntries } from '@/resource/registry'
import { useFieldWord } from '@/resource/words'

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === ''
}

interface SideProps {
  change: Change
  value: unknown
  definition: Definition | null
  resource: string
}

/** A value as its own field shows it; what the definition does not know is shown as it is stored. */
function Side({ change, value, definition, resource }: SideProps) {
  const field = definition?.fields[change.field]
  if (isEmpty(value)) return <Blank />
  if (!field)
    return <span className="k-cell-lines">{typeof value === 'string' ? value : JSON.stringify(value)}</span>
  return (
    <FieldCell
      value={value}
      field={field}
      name={change.field}
      resource={resource}
      row={{ [change.field]: value }}
      dense={field.type !== 'textarea' && field.type !== 'markdown'}
    />
  )
}

/** What changed, field by field, in the words and the cells of the resource it happened to. */
export function Cell({ value, field, row, dense }: CellProps<'diff'>) {
  const { t } = useTranslation('engine')
  const table = String(row[field.of ?? 'table_name'] ?? '')
  const definition = definitionOfTable(
    table,
    resourceEntries().map((entry) => entry.definition),
  )
  const resource = definition?.name ?? table
  const word = useFieldWord(resource)
  const changes = readChanges(value, definition)
  if (changes.length === 0) return <Blank />
  if (dense)
    return <span className="k-cell-text">{changes.map((change) => word(change.field)).join(', ')}</span>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div className="k-inner-box" tabIndex={0}>
      <table className="k-inner k-diff">
        <thead>
          <tr>
            <th scope="col">{t('diff.field')}</th>
            <th scope="col">{t('diff.before')}</th>
            <th scope="col">{t('diff.after')}</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => (
            <tr key={change.field}>
              <th scope="row">{word(change.field)}</th>
              <td>
                <Side change={change} value={change.before} definition={definition} resource={resource} />
              </td>
              <td>
                <Side change={change} value={change.after} definition={definition} resource={resource} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
