import { createHash } from 'node:crypto'

/** The longest name that Postgres keeps whole. */
const LONGEST = 63

export function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return `'${String(value).replaceAll("'", "''")}'`
}

/** A function body between dollar quotes that do not occur in it: a default may contain any text. */
export function quotedBody(body: string): string {
  let tag = '$guard$'
  for (let n = 2; body.includes(tag); n++) tag = `$guard${n}$`
  return `${tag}${body}${tag}`
}

/** A name Postgres does not cut: cut by itself, two long ones could meet. */
export function named(...parts: string[]): string {
  const name = parts.join('_')
  if (name.length <= LONGEST) return name
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 6)
  return `${name.slice(0, LONGEST - 7).replace(/_+$/, '')}_${mark}`
}

/** Lines of at most `width` characters, continued with the indent. */
export function wrap(items: readonly string[], indent: string, width = 118): string {
  const lines: string[] = []
  let line = ''
  for (const item of items) {
    const longer = line === '' ? item : `${line}, ${item}`
    if (line !== '' && longer.length > width) {
      lines.push(`${line},`)
      line = `${indent}${item}`
    } else line = longer
  }
  return [...lines, line].join('\n')
}
