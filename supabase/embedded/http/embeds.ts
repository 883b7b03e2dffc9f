import type { ForeignKey } from '../database/api-thread'

/** A table read along with another: `alias:table!hint(columns)`. */
export interface Embed {
  /** The target after the alias: a table, or the column or constraint that leads to one. */
  name: string
  /** The prefix of the embed's parameters. */
  alias: string
  /** How often each column is named. */
  columns: Map<string, number>
  embeds: Embed[]
  /** `x!inner()` narrows rows and reads nothing. */
  isEmpty: boolean
}

export interface Selection {
  embeds: Embed[]
  columns: ReadonlyMap<string, number>
  /** Columns and embeds, at all levels. */
  elements: number
  embedCount: number
  depth: number
  /** How often the most frequent column occurs in one list of columns, under whatever aliases. */
  repeats: number
}

const AGGREGATE = /^count$|\./

function embedName(text: string): string {
  const name = text.replace(/^\s*(\.\.\.)?/, '').split('!')[0] ?? ''
  return name
    .slice(name.lastIndexOf(':') + 1)
    .trim()
    .replaceAll('"', '')
}

const embedAlias = (text: string): string => {
  const [alias = '', ...named] = text.replace(/^\s*(\.\.\.)?/, '').split(':')
  return named.length === 0 ? embedName(text) : alias.trim().replaceAll('"', '')
}

/** `alias:column->key::type` reads `column`. */
const columnName = (text: string): string => {
  const [path = ''] = text.split('::')
  const [column = ''] = path.slice(path.lastIndexOf(':') + 1).split('->')
  return column.trim().replaceAll('"', '')
}

/** The value of `select`, as far as limits need it. */
export function readSelection(select: string): Selection {
  const root: Embed = { name: '', alias: '', columns: new Map(), embeds: [], isEmpty: false }
  const open = [root]
  const { embeds, columns } = root
  const read: Selection = { embeds, columns, elements: 1, embedCount: 0, depth: 0, repeats: 0 }
  const addColumn = (text: string) => {
    const name = columnName(text)
    if (name === '') return
    const counts = open.at(-1)?.columns
    const count = (counts?.get(name) ?? 0) + 1
    counts?.set(name, count)
    read.repeats = Math.max(read.repeats, count)
  }
  let start = 0
  let isQuoted = false
  for (let at = 0; at < select.length; at++) {
    const sign = select[at]
    if (sign === '"') isQuoted = !isQuoted
    if (isQuoted) continue
    if (sign === ',') {
      addColumn(select.slice(start, at))
      read.elements++
      start = at + 1
    } else if (sign === '(') {
      const embed: Embed = {
        name: embedName(select.slice(start, at)),
        alias: embedAlias(select.slice(start, at)),
        columns: new Map(),
        embeds: [],
        isEmpty: select[at + 1] === ')',
      }
      start = at + 1
      if (!AGGREGATE.test(embed.name)) {
        open.at(-1)?.embeds.push(embed)
        read.embedCount++
        read.elements++
      }
      open.push(embed)
      read.depth = Math.max(read.depth, open.length - 1)
    } else if (sign === ')') {
      addColumn(select.slice(start, at))
      if (open.length > 1) open.pop()
      start = at + 1
    }
  }
  addColumn(select.slice(start))
  return read
}

/** Every table that an embed of this name may lead to. */
function tablesOf(name: string, keys: readonly ForeignKey[]): string[] {
  const tables = keys.flatMap((key) => {
    if (key.column === name) return [key.ref_table]
    if (key.foreign_key_name === name) return [key.table, key.ref_table]
    return key.table === name || key.ref_table === name ? [name] : []
  })
  return [...new Set(tables)]
}

/**
 * The embed inside another that is not one record of each, or null. A list of rows inside the one record that all
 * rows of the answer share (`devices?select=companies(devices(*))`) comes once for each of them: a thousand rows times
 * all the devices of a company.
 */
export function multiplyingEmbed(embeds: readonly Embed[], keys: readonly ForeignKey[]): string | null {
  for (const outer of embeds) {
    const parents = tablesOf(outer.name, keys)
    for (const inner of outer.embeds) {
      const children = tablesOf(inner.name, keys)
      const isOneRecord =
        parents.length > 0 &&
        children.length > 0 &&
        parents.every((parent) => children.every((child) => pointsAt(parent, child, keys)))
      if (!isOneRecord) return inner.name
    }
    const found = multiplyingEmbed(outer.embeds, keys)
    if (found) return found
  }
  return null
}

const pointsAt = (from: string, to: string, keys: readonly ForeignKey[]): boolean =>
  keys.some((key) => key.table === from && key.ref_table === to) &&
  !keys.some((key) => key.table === to && key.ref_table === from)

const MAX_LISTS = 6
const MAX_SAME_LIST = 2
/** A list that is only counted is one number of each row, but its rows are read. */
const MAX_COUNTED = 12
/** Several columns of a row refer to users: its author, its assignee. */
const MAX_SAME_RECORD = 8

const isCounted = ({ columns, embeds }: Embed): boolean =>
  embeds.length === 0 && columns.size === 1 && columns.has('count')

/**
 * Whether rows of a table are read with more lists, or the same table more often, than a screen asks for: thirty times
 * the software of each device is an answer of 32 MB.
 * @param table what the embeds belong to; for an unknown one, every embed is taken for a list.
 */
export function hasManyLists(embeds: readonly Embed[], table: string, keys: readonly ForeignKey[]): boolean {
  const lists = new Map<string, number>()
  const records = new Map<string, number>()
  for (const embed of embeds) {
    const { name, isEmpty } = embed
    if (isEmpty || isCounted(embed)) continue
    const targets = tablesOf(name, keys).filter((target) => target !== table || name === table)
    const isRecord = targets.length > 0 && targets.every((target) => pointsAt(table, target, keys))
    const counts = isRecord ? records : lists
    for (const target of targets.length > 0 ? targets : [name])
      counts.set(target, (counts.get(target) ?? 0) + 1)
  }
  const listCounts = [...lists.values()]
  return (
    embeds.filter(isCounted).length > MAX_COUNTED ||
    listCounts.reduce((sum, count) => sum + count, 0) > MAX_LISTS ||
    listCounts.some((count) => count > MAX_SAME_LIST) ||
    [...records.values()].some((count) => count > MAX_SAME_RECORD) ||
    embeds.some((embed) => tablesOf(embed.name, keys).some((own) => hasManyLists(embed.embeds, own, keys)))
  )
}
