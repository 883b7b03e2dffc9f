import type { ReactNode } from 'react'
import type { Row } from '@/data/rows'
import { FieldCell } from '@/resource/fields/cells'
import { fieldAt } from '@/resource/fields/related-field'
import type { Definition } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { useWords } from '@/resource/language/words'
import { useColumnWord } from '@/resource/request/query/columns'
import { recordTitle } from '@/resource/request/query/title'
import { readPath } from '@/resource/request/query/values'
import { isBlank } from '@/resource/screens/form/check-record'
import '@/resource/screens/actions/actions.css'

interface RecordFactsProps {
  definition: Definition
  shows: readonly string[]
  row: Row
  /** The title of the record, where several are shown. */
  title?: ReactNode
}

/** The fields of a record on which somebody decides. */
export function RecordFacts({ definition, shows, row, title }: RecordFactsProps) {
  const words = useWords(definition)
  const columnWord = useColumnWord(definition, words)
  return (
    <section>
      {title}
      <dl aria-label={recordTitle(definition, row)}>
        {shows.map((path) => {
          const field = fieldAt(definition, path, findDefinition)
          const value = readPath(definition, row, path, findDefinition)
          if (!field || isBlank(value)) return null
          return (
            <div key={path}>
              <dt>{columnWord(path)}</dt>
              <dd>
                <FieldCell
                  value={value}
                  field={field}
                  name={path}
                  resource={definition.name}
                  row={row}
                  dense={false}
                />
              </dd>
            </div>
          )
        })}
      </dl>
    </section>
  )
}
