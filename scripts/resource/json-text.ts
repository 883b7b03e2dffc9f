import { type JSONPath, type Node, parseTree, visit } from 'jsonc-parser'

/** The line width of `biome.json`, which checks these files. */
const WIDTH = 110

/** Something in a file that can have another text: the key of a member, or a string. */
interface JsonToken {
  kind: 'key' | 'string'
  /** The path of a key includes the key itself. */
  path: JSONPath
  text: string
}

/** Replaces keys and strings where they are; everything else of the file stays as it was written. */
export function editJson(text: string, replace: (token: JsonToken) => string | undefined): string {
  const edits: { offset: number; length: number; text: string }[] = []
  const offer = (token: JsonToken, offset: number, length: number) => {
    const next = replace(token)
    if (next !== undefined && next !== token.text) edits.push({ offset, length, text: JSON.stringify(next) })
  }
  visit(text, {
    onObjectProperty: (key, offset, length, _line, _character, path) =>
      offer({ kind: 'key', path: [...path(), key], text: key }, offset, length),
    onLiteralValue: (value: unknown, offset, length, _line, _character, path) => {
      if (typeof value === 'string') offer({ kind: 'string', path: path(), text: value }, offset, length)
    },
  })
  const edited = edits.reduceRight(
    (result, { offset, length, text: next }) =>
      result.slice(0, offset) + next + result.slice(offset + length),
    text,
  )
  // A file that its author formats in another way keeps that.
  return formatJson(text) === text ? formatJson(edited) : edited
}

function inline(node: Node): string {
  const children = node.children ?? []
  if (node.type === 'array') return `[${children.map(inline).join(', ')}]`
  if (node.type === 'object') return children.length === 0 ? '{}' : `{ ${children.map(inline).join(', ')} }`
  if (node.type === 'property') return children.map(inline).join(': ')
  return JSON.stringify(node.value)
}

/** The formatter keeps an object open where a line break follows its brace. */
function isOpen(node: Node, text: string): boolean {
  const first = node.type === 'object' ? node.children?.[0] : undefined
  return first !== undefined && text.slice(node.offset, first.offset).includes('\n')
}

const hasOpen = (node: Node, text: string): boolean =>
  isOpen(node, text) || (node.children ?? []).some((child) => hasOpen(child, text))

function print(node: Node, text: string, depth: number, used: number): string {
  const children = node.children ?? []
  if (node.type === 'property') {
    const [key, value] = children
    if (!key || !value) return ''
    const start = `${JSON.stringify(key.value)}: `
    return start + print(value, text, depth, used + start.length)
  }
  const short = inline(node)
  if (children.length === 0 || (!hasOpen(node, text) && used + short.length <= WIDTH)) return short
  const indent = '  '.repeat(depth + 1)
  const lines = children.map((child, place) => {
    const comma = place === children.length - 1 ? 0 : 1
    return indent + print(child, text, depth + 1, indent.length + comma)
  })
  const [open, close] = node.type === 'array' ? '[]' : '{}'
  return `${open}\n${lines.join(',\n')}\n${'  '.repeat(depth)}${close}`
}

/** JSON as `npm run format` writes it. */
export function formatJson(text: string): string {
  const tree = parseTree(text)
  return tree ? `${print(tree, text, 0, 0)}\n` : text
}
