import type { ReactNode } from 'react'
import type { Row } from '@/data/rows'
import { Blank, Unseen } from '@/resource/fields/cell-parts'
import { cellOf } from '@/resource/fields/cells'
import { kindOf } from '@/resource/fields/kinds'
import { fieldAt, relatedField } from '@/resource/fields/related-field'
import { RecordLink } from '@/resource/fields/relation/record-link'
import type { Definition } from '@/resource/language/definition.generated'
import { recordPath } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import type { ListColumn } from '@/resource/request/query/columns'
import { isUnseen, readPath, readValue, relatedRow } from '@/resource/request/query/values'

type Draw = (row: Row) => ReactNode

/** A value of a row that is shown where there is one. */
export interface Detail {
  path: string
  isFilled: (row: Row) => boolean
  draw: Draw
}

/** Computed once per table for all cells of a column, since a scrolled row has little time. */
export interface PlannedColumn {
  field: string
  align: 'right' | undefined
  draw: Draw
  details: readonly Detail[]
}

function drawOf(definition: Definition, path: string): Draw {
  const field = definition.fields[path]
  if (field) {
    const Cell = cellOf(field.type)
    return (row) => (
      <Cell
        key={path}
        value={readValue(row, path, field)}
        field={field}
        name={path}
        resource={definition.name}
        row={row}
        dense
      />
    )
  }
  // A value of a related record, shown as in that record's own list.
  const related = relatedField(definition, path, findDefinition)
  if (!related) return () => null
  const { name, target } = related
  const Cell = cellOf(related.field.type)
  return (row) => {
    const other = relatedRow(row, related.relation)
    if (!other) {
      const isHidden = hasValue(row[related.relation]) && isUnseen(row, related.relation)
      return isHidden ? <Unseen key={path} /> : <Blank key={path} />
    }
    return (
      <Cell
        key={path}
        value={other[name]}
        field={related.field}
        name={name}
        resource={target.name}
        row={other}
        dense
      />
    )
  }
}

function hasValue(value: unknown): boolean {
  return value !== null && value !== undefined && value !== ''
}

/** The first column of a list links to the row's own record: another record's title is only its text there. */
function drawFirst(definition: Definition, path: string): Draw {
  const field = definition.fields[path]
  const isOwn = field?.type === 'relation' && field.to === definition.name
  if (recordPath(definition, '') === null || field?.type !== 'relation' || isOwn)
    return drawOf(definition, path)
  return (row) => {
    const id = row[path]
    if (typeof id !== 'string' || id === '') return <Blank key={path} />
    return (
      <RecordLink
        key={path}
        to={field.to}
        id={id}
        row={relatedRow(row, path)}
        isUnseen={isUnseen(row, path)}
        isPlain
      />
    )
  }
}

export function planColumns(definition: Definition, columns: readonly ListColumn[]): PlannedColumn[] {
  return columns.flatMap((column, index) => {
    const { own } = column
    if (own) return [{ field: column.field, align: undefined, draw: own.draw, details: [] }]
    const field = fieldAt(definition, column.field, findDefinition)
    if (!field) return []
    const details = (column.with ?? []).map((path) => ({
      path,
      isFilled: (row: Row) => hasValue(readPath(definition, row, path, findDefinition)),
      draw: drawOf(definition, path),
    }))
    return [
      {
        field: column.field,
        align: kindOf(field.type).align,
        draw: (index === 0 ? drawFirst : drawOf)(definition, column.field),
        details,
      },
    ]
  })
}
