import { formatJson } from './json-text'

const WIDTH = 108

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${inline(inner)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

function block(value: unknown, depth: number, used: number): string {
  const short = inline(value)
  if (typeof value !== 'object' || value === null || (depth > 1 && used + short.length <= WIDTH)) return short
  const indent = '  '.repeat(depth + 1)
  const end = '  '.repeat(depth)
  if (Array.isArray(value))
    return `[\n${value.map((item) => `${indent}${block(item, depth + 1, indent.length)}`).join(',\n')}\n${end}]`
  const members = Object.entries(value).map(([key, inner]) => {
    const start = `${indent}${JSON.stringify(key)}: `
    return `${start}${block(inner, depth + 1, start.length)}`
  })
  return `{\n${members.join(',\n')}\n${end}}`
}

/** A definition as people write it: a field a line, as long as it fits. */
export function definitionText(definition: Record<string, unknown>): string {
  const members = Object.entries(definition).map(([key, value]) => {
    const start = `  ${JSON.stringify(key)}: `
    const text =
      key === 'fields' || inline(value).length + start.length > WIDTH
        ? block(value, 1, start.length)
        : inline(value)
    return `${start}${text}`
  })
  return formatJson(`{\n${members.join(',\n')}\n}\n`)
}
