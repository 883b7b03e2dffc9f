import { kindOf } from '@/resource/fields/kinds'
import { targetOf } from '@/resource/fields/related-field'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { GIVEN } from '@/resource/language/inspect/inspection'
import type { PointedProblem } from '@/resource/language/inspect/problems'
import { LIST_PARAMS, tableOf } from '@/resource/language/naming'

export interface NameProblem {
  message: string
  hint?: string
}

/** Keywords that PostgreSQL does not accept as the name of a column or table. */
const SQL_WORDS = new Set(
  `all analyse analyze and any array as asc asymmetric authorization between binary both case cast check collate
  collation column concurrently constraint create cross current_catalog current_date current_role current_schema
  current_time current_timestamp current_user default deferrable desc distinct do else end except false fetch for
  foreign freeze from full grant group having ilike in initially inner intersect into is isnull join lateral leading
  left like limit localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing
  primary references returning right select session_user similar some symmetric system_user table tablesample then to
  trailing true union unique user using variadic verbose when where window with`.split(/\s+/),
)

const SNAKE = /^[a-z][a-z0-9_]*$/
/** Leaves room for `_company_…_idx` below Postgres' 63. */
const LONGEST = 40

function shapeOf(what: string, name: string): NameProblem | null {
  if (!SNAKE.test(name)) {
    const near = name
      .normalize('NFKD')
      .replace(/[\u0300-\u036f]/g, '')
      .replaceAll('ı', 'i')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^[_0-9]+|_+$/g, '')
    return {
      message: `\`${name}\` cannot name a ${what}: small letters, digits and \`_\`, a letter first`,
      ...(near ? { hint: `Did you mean \`${near}\`?` } : {}),
    }
  }
  if (name.length > LONGEST)
    return { message: `\`${name}\` is longer than ${LONGEST} letters`, hint: 'Choose a shorter one.' }
  return null
}

/** A word of SQL as the name of a resource: every statement over it would need quotes. */
export function resourceNameProblem(name: string): NameProblem | null {
  const shape = shapeOf('resource', name)
  if (shape) return shape
  if (SQL_WORDS.has(name))
    return {
      message: `\`${name}\` is a word of SQL and cannot name a table`,
      hint: `Did you mean \`${name}s\`?`,
    }
  if (/^(pg_|search_|_)/.test(name))
    return {
      message: `names that begin so belong to the database: \`${name}\``,
      hint: 'Choose another name.',
    }
  return null
}

/** Refuses reserved field names. `given` columns are allowed in a definition that shows them, never in a new field. */
export function fieldNameProblem(name: string, { isNew }: { isNew: boolean }): NameProblem | null {
  const shape = shapeOf('field', name)
  if (shape) return shape
  if (isNew && GIVEN.includes(name))
    return {
      message: `\`${name}\` is a column that every table has already`,
      hint: 'Leave it out: it comes by itself.',
    }
  if (SQL_WORDS.has(name))
    return {
      message: `\`${name}\` is a word of SQL and cannot name a column`,
      hint: `Did you mean \`${name}_name\`, or another word?`,
    }
  if (LIST_PARAMS.has(name))
    return {
      message: `\`${name}\` is a word of the list's address and cannot name a field`,
      hint: 'Choose another name.',
    }
  if (name === 'search' || name === 'xmin' || name === 'ctid' || name === 'tableoid')
    return { message: `\`${name}\` is a column the database keeps for itself`, hint: 'Choose another name.' }
  return null
}

/** The allowed types of the columns that every table has; the generator makes them, whatever the definition says. */
const GIVEN_TYPES: Record<string, (field: Field) => boolean> = {
  id: ({ type }) => kindOf(type).columns.includes('uuid'),
  company_id: (field) => targetOf(field) === 'companies',
  created_at: ({ type }) => kindOf(type).columns.includes('timestamptz'),
  updated_at: ({ type }) => kindOf(type).columns.includes('timestamptz'),
  version: ({ type }) => kindOf(type).columns.includes('int4'),
}
const GIVEN_SHAPES: Record<string, string> = {
  id: '{ "type": "text", "readonly": true }',
  company_id: '{ "type": "relation", "to": "companies", "readonly": true }',
  created_at: '{ "type": "datetime", "readonly": true }',
  updated_at: '{ "type": "datetime", "readonly": true }',
  version: '{ "type": "number", "readonly": true }',
}

function givenProblem(name: string, field: Field, definition: Definition): NameProblem | null {
  const fits = GIVEN_TYPES[name]
  // A table that has no lock treats `version` as any other column.
  if (!fits || field.from || (name === 'version' && definition.lock === false)) return null
  const hint = `Write \`${GIVEN_SHAPES[name]}\`, or choose another name.`
  if (!fits(field))
    return { message: `\`${name}\` is a column that every table has, and it is not \`${field.type}\``, hint }
  if (!field.readonly && !field.guard?.write && definition.form !== false)
    return { message: `\`${name}\` is a column that the database writes: no form can`, hint }
  return null
}

/** Names and columns that the database, or the address of a list, keeps for itself. */
export function inspectReserved(definition: Definition): PointedProblem[] {
  const table = resourceNameProblem(tableOf(definition))
  const fields = Object.entries(definition.fields).flatMap(([name, field]) => {
    // A field from another table has no column here.
    const isElsewhere = field.from !== undefined || kindOf(field.type).detached === true
    const problem = isElsewhere
      ? LIST_PARAMS.has(name)
        ? fieldNameProblem(name, { isNew: false })
        : null
      : (fieldNameProblem(name, { isNew: false }) ?? givenProblem(name, field, definition))
    return problem ? [{ pointer: `/fields/${name}`, ...problem }] : []
  })
  return [...(table ? [{ pointer: definition.table ? '/table' : '/name', ...table }] : []), ...fields]
}
