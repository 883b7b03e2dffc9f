import type { Constraint } from 'libpg-query'
import type { SchemaFile } from './files'
import { itemRanges, tidy } from './items'
import type { ColumnFacts, SchemaObject } from './objects'
import type { Statement } from './parse'

interface Edit {
  from: number
  to: number
  text: string
}

/** Where an item of `create table` is: its number, and the statement. */
export interface ItemPlace {
  statement: Statement
  index: number
}

const indented = (text: string) => text.replaceAll('\n', '\n  ')

/** The end of an item, before a comment behind it, which would swallow a comma. */
function endOf(item: string): number {
  const bare = item.trimEnd()
  const last = bare.slice(bare.lastIndexOf('\n') + 1)
  const comment = /\s+--[^']*$/.exec(last)
  return comment ? bare.length - comment[0].length : bare.length
}

/** Collects changes of files by byte, so that all else stays as it is. */
export class Editor {
  private readonly edits = new Map<string, Edit[]>()
  private readonly added = new Map<string, string>()
  /** Changes of items. A column can change in several ways, so that its item is written at the end. */
  private readonly items = new Map<Statement, Map<number, ((item: string) => string)[]>>()
  private readonly removed = new Map<Statement, Set<number>>()
  private readonly inserted = new Map<Statement, { index: number; item: string }[]>()
  constructor(private readonly files: ReadonlyMap<string, string>) {}

  private edit(path: string, edit: Edit): void {
    this.edits.set(path, [...(this.edits.get(path) ?? []), edit])
  }

  private bytes(path: string): Buffer {
    return Buffer.from(this.files.get(path) ?? '')
  }

  /** Replaces a statement, and the comments above it when the new text has some. */
  replace({ file, start, first, end }: Statement, text: string): void {
    this.edit(file, { from: text.startsWith('--') ? start : first, to: end, text })
  }

  /** Removes a statement with the comments right above it and its line end. */
  remove({ file, start, end }: Statement): void {
    const rest = this.bytes(file).subarray(end).toString()
    const tail = /^;[^\S\n]*(?:--[^\n]*)?\n?/.exec(rest)?.[0] ?? ''
    this.edit(file, { from: start, to: end + Buffer.byteLength(tail), text: '' })
  }

  /** Writes statements behind another one, or at the end of a file, which is made where it is missing. */
  insert(path: string, after: Statement | undefined, text: string): void {
    if (after) {
      const line = this.bytes(path).indexOf(10, after.end)
      const at = line === -1 ? this.bytes(path).length : line
      this.edit(path, { from: at, to: at, text: `\n${text}` })
    } else this.added.set(path, [...(this.added.has(path) ? [this.added.get(path)] : []), text].join('\n'))
  }

  private item({ statement, index }: ItemPlace) {
    const text = this.bytes(statement.file).subarray(statement.start, statement.end).toString()
    const ranges = itemRanges(text)
    const byte = (at: number) => statement.start + Buffer.byteLength(text.slice(0, at))
    return { text, ranges, byte, range: ranges[index] ?? { from: 0, to: 0 } }
  }

  private rawItem(place: ItemPlace): string {
    const { text, range } = this.item(place)
    const changes = this.items.get(place.statement)?.get(place.index) ?? []
    return changes.reduce((item, change) => change(item), text.slice(range.from, range.to))
  }

  itemText(place: ItemPlace): string {
    return tidy(this.rawItem(place))
  }

  /** Changes an item with the white space around it. */
  changeItem({ statement, index }: ItemPlace, change: (item: string) => string): void {
    const known = this.items.get(statement) ?? new Map()
    this.items.set(statement, known.set(index, [...(known.get(index) ?? []), change]))
  }

  replaceItem(place: ItemPlace, text: string): void {
    this.changeItem(place, (raw) => `${/^\s*/.exec(raw)?.[0]}${indented(text)}${/\s*$/.exec(raw)?.[0]}`)
  }

  private writeItems(): void {
    for (const [statement, items] of this.items)
      for (const index of items.keys()) {
        if (this.removed.get(statement)?.has(index)) continue
        const place = { statement, index }
        const { range, byte } = this.item(place)
        this.edit(statement.file, { from: byte(range.from), to: byte(range.to), text: this.rawItem(place) })
      }
    for (const statement of new Set([...this.removed.keys(), ...this.inserted.keys()]))
      this.writeList(statement)
  }

  removeItem({ statement, index }: ItemPlace): void {
    this.removed.set(statement, (this.removed.get(statement) ?? new Set()).add(index))
  }

  /** Adds items behind another one of the same table. */
  insertItems({ statement, index }: ItemPlace, items: readonly string[]): void {
    const known = this.inserted.get(statement) ?? []
    this.inserted.set(statement, [...known, ...items.map((item) => ({ index, item }))])
  }

  /** Removes and adds items of one table: which comma goes depends on the items that are left. */
  private writeList(statement: Statement): void {
    const { file } = statement
    const removed = this.removed.get(statement) ?? new Set()
    const { text, ranges, byte } = this.item({ statement, index: 0 })
    const cut = (from: number, to: number) => this.edit(file, { from: byte(from), to: byte(to), text: '' })
    const put = (at: number, added: string) => this.edit(file, { from: byte(at), to: byte(at), text: added })
    const kept = [...ranges.keys()].filter((index) => !removed.has(index))
    const last = kept.at(-1) ?? 0
    const groups = new Map<number, string[]>()
    for (const { index, item } of this.inserted.get(statement) ?? []) {
      const anchor = kept.filter((each) => each <= index).at(-1) ?? last
      groups.set(anchor, [...(groups.get(anchor) ?? []), item])
    }
    for (const index of removed) {
      const range = ranges[index]
      const next = ranges[index + 1]
      if (range) cut(range.from, next?.from ?? range.from + text.slice(range.from, range.to).trimEnd().length)
    }
    for (const [anchor, items] of groups) {
      const lines = items.map((item) => `\n  ${indented(item)}`).join(',')
      const range = ranges[anchor] ?? { from: 0, to: 0 }
      const next = ranges[anchor + 1]
      if (next) put(next.from, anchor === last ? lines : `${lines},`)
      else {
        const raw = text.slice(range.from, range.to)
        const [end, behind] = [range.from + endOf(raw), range.from + raw.trimEnd().length]
        put(end, end === behind ? `,${lines}` : ',')
        if (end !== behind) put(behind, lines)
      }
    }
    const comma = ranges[last]?.to ?? 0
    if (last < ranges.length - 1 && !groups.has(last)) cut(comma, comma + 1)
  }

  private edited(path: string): string {
    const bytes = this.bytes(path)
    let [text, at] = ['', 0]
    const sorted = (this.edits.get(path) ?? []).map((edit, order) => ({ ...edit, order }))
    for (const edit of sorted.sort((a, b) => a.from - b.from || a.order - b.order)) {
      if (edit.from > at) text += bytes.subarray(at, edit.from).toString()
      text += edit.text
      at = Math.max(at, edit.to)
      // A statement that is gone leaves one of the two blank lines around it.
      if (edit.text === '' && (text === '' || text.endsWith('\n\n'))) while (bytes[at] === 10) at++
    }
    const rest = bytes.subarray(at).toString()
    return rest === '' ? `${text.trimEnd()}\n` : text + rest
  }

  /** The changed files; null for one in which nothing is left. */
  changed(): Map<string, string | null> {
    this.writeItems()
    const results = new Map<string, string | null>()
    for (const path of new Set([...this.edits.keys(), ...this.added.keys()])) {
      const kept = this.edited(path)
      const added = this.added.get(path)?.trim()
      const text = added ? [...(kept.trim() === '' ? [] : [kept.trimEnd()]), `${added}\n`].join('\n\n') : kept
      results.set(path, text.replace(/--[^\n]*/g, '').trim() === '' ? null : text)
    }
    return results
  }
}

export const asMap = (files: readonly SchemaFile[]): Map<string, string> =>
  new Map(files.map(({ path, sql }) => [path, sql]))

export const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** A column behind its name, with another type, default or duty to be filled. */
export function changedColumn(text: string, then: ColumnFacts, now: ColumnFacts): string {
  const type = now.type === then.type ? then.typeText : now.typeText
  let result = type + text.slice(then.typeText.length)
  if (then.value !== now.value && then.value !== '')
    result = result.replace(new RegExp(`\\s+default\\s+${escaped(then.valueText)}`, 'i'), '')
  if (then.isRequired && !now.isRequired) result = result.replace(/\s+not\s+null\b/i, '')
  const added = [
    ...(now.isRequired && !then.isRequired ? ['not null'] : []),
    ...(then.value !== now.value && now.value !== '' ? [`default ${now.valueText}`] : []),
  ]
  if (added.length === 0) return result
  // A default reads behind `not null`.
  const duty =
    now.isRequired && then.isRequired ? (/^\s+not\s+null\b/i.exec(result.slice(type.length))?.[0] ?? '') : ''
  const lead = type + duty
  return `${lead} ${added.join(' ')}${result.slice(lead.length)}`
}

/** A constraint as it is written beside its column. */
export function inColumn(text: string, contype: Constraint['contype'], column: string): string {
  if (contype === 'CONSTR_FOREIGN') return text.replace(/\bforeign key \([^)]*\)\s+/i, '')
  if (contype === 'CONSTR_CHECK') return text
  return text.replace(new RegExp(`\\s*\\(${column}\\)`), '')
}

/** The text of an object as the schemas have it: each is made once. */
export function schemaText({ text, isOverride }: SchemaObject): string {
  const made = text.replace(/^((?:--[^\n]*\n)*)create (?:or replace )?/i, '$1create ')
  // A trigger that a `keep_` call makes as well is there when its own statement runs.
  return isOverride ? made.replace(/^((?:--[^\n]*\n)*)create /i, '$1create or replace ') : made
}
