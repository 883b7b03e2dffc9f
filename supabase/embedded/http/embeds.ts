/** A table read along with another: `alias:table!hint(columns)`. */
export interface Embed {
  /** What follows the alias: a table, or the column or constraint that leads to one. */
  name: string
  embeds: Embed[]
}

export interface Selection {
  embeds: Embed[]
  /** Columns and embeds, at all levels. */
  elements: number
  embedCount: number
  depth: number
}

const AGGREGATE = /^count$|\./

function embedName(text: string): string {
  const name = text.replace(/^\s*(\.\.\.)?/, '').split('!')[0] ?? ''
  return name
    .slice(name.lastIndexOf(':') + 1)
    .trim()
    .replaceAll('"', '')
}

/** The value of `select`, as far as limits need it. */
export function readSelection(select: string): Selection {
  const root: Embed = { name: '', embeds: [] }
  const open = [root]
  const read: Selection = { embeds: root.embeds, elements: 1, embedCount: 0, depth: 0 }
  let start = 0
  let isQuoted = false
  for (let at = 0; at < select.length; at++) {
    const sign = select[at]
    if (sign === '"') isQuoted = !isQuoted
    if (isQuoted) continue
    if (sign === ',') {
      read.elements++
      start = at + 1
    } else if (sign === '(') {
      const embed: Embed = { name: embedName(select.slice(start, at)), embeds: [] }
      start = at + 1
      if (!AGGREGATE.test(embed.name)) {
        open.at(-1)?.embeds.push(embed)
        read.embedCount++
        read.elements++
      }
      open.push(embed)
      read.depth = Math.max(read.depth, open.length - 1)
    } else if (sign === ')') {
      if (open.length > 1) open.pop()
      start = at + 1
    }
  }
  return read
}

export interface ForeignKey {
  table: string
  column: string
  ref_table: string
  ref_column: string
  foreign_key_name: string
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
