import { useTranslation } from 'react-i18next'
import { Blank } from '@/resource/fields/cell-parts'
import { FieldCell } from '@/resource/fields/cells'
import { namedRecords, shownChanges, targetOfChange } from '@/resource/fields/diff/changes'
import type { Change } from '@/resource/fields/diff/kind'
import { RecordLink } from '@/resource/fields/relation/record-link'
import type { Definition } from '@/resource/language/definition.generated'
import { useFieldWord } from '@/resource/language/words'
import type { FindRecord } from '@/resource/request/query/use-record-titles'

interface SideProps {
  change: Change
  value: unknown
  definition: Definition | null
  resource: string
  records: FindRecord
}

/** Another record by its title; one that is not there to be read is said to be so, its key would tell nothing. */
function Mention({ to, id, records }: { to: string; id: string; records: FindRecord }) {
  const { t } = useTranslation('engine')
  const row = records({ resource: to, id })
  if (row === undefined) return <span className="k-soft">…</span>
  return row === null ? (
    <span className="k-soft">{t('diff.unseen')}</span>
  ) : (
    <RecordLink to={to} id={id} row={row} />
  )
}

/** A value as its own field shows it; what the definition does not know is shown as it is stored. */
function Side({ change, value, definition, resource, records }: SideProps) {
  const field = definition?.fields[change.field]
  if (value === null || value === undefined || value === '') return <Blank />
  const target = targetOfChange(definition, change.field)
  if (target !== null && typeof value === 'string')
    return <Mention to={target} id={value} records={records} />
  const named = namedRecords(value, definition, change.field)
  if (named)
    return named.length === 0 ? (
      <Blank />
    ) : (
      <span className="k-cell-lines">
        {named.map(({ resource: to, id }, index) => (
          <span key={id}>
            {index > 0 ? ', ' : null}
            <Mention to={to} id={id} records={records} />
          </span>
        ))}
      </span>
    )
  if (!field || typeof value === 'object')
    return <span className="k-cell-lines">{typeof value === 'string' ? value : JSON.stringify(value)}</span>
  return (
    <FieldCell
      value={value}
      field={field}
      name={change.field}
      resource={resource}
      row={{ [change.field]: value }}
      dense={field.type !== 'textarea'}
    />
  )
}

interface ChangeTableProps {
  changes: readonly Change[]
  definition: Definition | null
  /** The resource whose words the fields have. */
  resource: string
  label: string
  /** A record that was created has no values before, one that was deleted has none after. */
  action: string
  /** The records that the changes mention; whoever shows several tables asks for all of them at once. */
  records: FindRecord
}

const SIDES: Readonly<Record<string, readonly ('before' | 'after')[]>> = {
  create: ['after'],
  delete: ['before'],
}

/** Lists the changed fields, in the words and the cells of the resource that they belong to. */
export function ChangeTable({ changes, definition, resource, label, action, records }: ChangeTableProps) {
  const { t } = useTranslation('engine')
  const sides = SIDES[action] ?? ['before', 'after']
  const word = useFieldWord(resource)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="k-inner-box" aria-label={label} tabIndex={0}>
      <table className="k-inner k-diff">
        <thead>
          <tr>
            <th scope="col">{t('diff.field')}</th>
            {sides.map((side) => (
              <th key={side} scope="col">
                {t(`diff.${sides.length === 1 ? 'value' : side}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shownChanges(changes, definition, action).map((change) => (
            <tr key={change.field}>
              <th scope="row">{word(change.field)}</th>
              {sides.map((side) => (
                <td key={side}>
                  <Side change={change} value={change[side]} {...{ definition, resource, records }} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
