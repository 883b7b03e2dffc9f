import { dependents } from './depend'
import type { Model, SchemaObject } from './objects'
import type { Problem } from './parse'

const BY_HAND = 'by hand in a migration of its own, then run diff again'

const told = ({ file, line }: SchemaObject, text: string): Problem => ({ file, line, text })

const tableOfColumn = (identity: string) => identity.replace(/^column \S+ of /, '')
const columnName = (identity: string) => identity.replace(/^column (\S+) of .*$/, '$1')

/** An object of a table or view that no file makes; those of other schemas, such as `auth`, are the host's. */
export function strayOf(object: SchemaObject, wanted: Model): Problem | undefined {
  const { owner = '', identity } = object
  if (!/^(?:table|view) (?:public|app)\./.test(owner) || wanted.get(owner)) return undefined
  return told(
    object,
    `${identity} is of ${owner}, which is in no file of supabase/schemas. Take one of the two out.`,
  )
}

/** Why a new object cannot be made by a command. */
export function undecided(object: SchemaObject, isWithOwner: boolean, made: Model): Problem | undefined {
  const { kind, identity, column, text } = object
  if (kind === 'column' && column && !isWithOwner) {
    const isFilled = column.value !== '' || column.generated !== ''
    if (column.isRequired && !isFilled)
      return told(
        object,
        `${identity} is new, not null and has no default, so existing rows have no value for it. Give it a default here, or write its \`alter table\` with the values of existing rows ${BY_HAND}.`,
      )
  }
  if (kind === 'row' && made.get(object.owner ?? ''))
    return told(
      object,
      `a row of ${(object.owner ?? '').replace('table ', '')} is new or changed. Write its insert, update or delete ${BY_HAND}.`,
    )
  if (kind === 'statement')
    return told(object, `no migration holds this statement: ${firstLine(text)} Write it ${BY_HAND}.`)
  if (kind === 'dropped trigger' && !isWithOwner && !made.get(object.owner ?? ''))
    return told(object, `${identity} is of a table that no migration makes. Take it out.`)
  return undefined
}

const firstLine = (text: string) => {
  const [line = ''] = text.split('\n').filter((each) => !each.startsWith('--'))
  return `\`${line.slice(0, 60)}\`.`
}

/** A column keeps a function from being dropped, which its change needs. */
export const heldBack = (column: SchemaObject, used: SchemaObject): Problem =>
  told(
    column,
    `${column.identity} uses ${used.identity}, which has to be dropped. Write the drop of both and what makes them again ${BY_HAND}.`,
  )

/** Why a changed object cannot be changed by a command. */
export function undecidedChange(now: SchemaObject, then: SchemaObject): Problem | undefined {
  const { kind, identity } = now
  if (kind === 'column' && now.column && then.column) {
    const on = `alter table ${tableOfColumn(identity)}`
    const name = columnName(identity)
    if (now.column.type !== then.column.type)
      return told(
        now,
        `${identity} changed its type. Write \`${on} alter column ${name} type … using …\` ${BY_HAND}.`,
      )
    if (now.column.generated !== then.column.generated)
      return told(
        now,
        `${identity} changed how it is generated. Write \`${on} drop column ${name}\`, its \`add column\` and its indexes ${BY_HAND}.`,
      )
  }
  if (kind === 'keep')
    return told(
      now,
      `the call of ${identity.replace(' of ', ' for ')} changed. Write the drop of its triggers and the new call ${BY_HAND}.`,
    )
  if (kind === 'table')
    return told(now, `${identity} changed in more than its columns and constraints. Write that ${BY_HAND}.`)
  if (kind === 'container') return told(now, `${identity} changed. Write its \`alter\` ${BY_HAND}.`)
  return undefined
}

/** Why no command may take away an object that only a migration has. */
export function undecidedLoss(object: SchemaObject, wanted: Model): Problem | undefined {
  const { kind, identity, isOverride } = object
  const says = (text: string) => told(object, `${identity} is in no file of supabase/schemas. ${text}`)
  switch (kind) {
    case 'table':
      return says(
        `Its rows would be lost: write \`drop ${identity}\` ${BY_HAND}, or take its definition back.`,
      )
    case 'column': {
      const on = `alter table ${tableOfColumn(identity)}`
      const name = columnName(identity)
      return says(
        `Its values would be lost: write \`${on} drop column ${name}\`, or \`${on} rename column ${name} to …\` where it has a new name, ${BY_HAND}.`,
      )
    }
    case 'view':
    case 'container':
      return says(`Write \`drop ${identity}\` ${BY_HAND}, or take its definition back.`)
    case 'row security':
      return says(
        'Take `enable row level security` back: without it everyone who may read the table sees all rows.',
      )
    case 'keep':
      return says(`Write the drop of the triggers that it made ${BY_HAND}, or take the call back.`)
    case 'dropped trigger':
      return says('Take the `drop trigger` back, or write the trigger itself there.')
    case 'row':
      return told(
        object,
        `a row of ${(object.owner ?? '').replace('table ', '')} is in no file of supabase/schemas. Write its delete or update ${BY_HAND}.`,
      )
    case 'default privileges':
      return told(
        object,
        'these default privileges are in no file of supabase/schemas. Take them back, or write the opposite in both.',
      )
    case 'trigger':
      return isOverride
        ? says('It replaced a trigger that a `keep_` call made, which is gone: take its definition back.')
        : undefined
    case 'function':
      return undecidedFunction(object, wanted)
    default:
      return undefined
  }
}

function undecidedFunction(object: SchemaObject, wanted: Model): Problem | undefined {
  const name = object.identity.replace(/\(.*$/, '')
  if ([...wanted.objects.keys()].some((each) => each.startsWith(`${name}(`))) return undefined
  const [user] = dependents(wanted, object)
  return (
    user &&
    told(
      user,
      `${user.identity} uses ${object.identity}, which is in no file of supabase/schemas. Take one of the two out.`,
    )
  )
}
