export interface LogicGroup {
  /** The single conditions, as `column.operator.value`. */
  conditions: string[]
  groups: number
  listItems: number
}

const GROUP = /^(not\.)?(and|or)$/

/**
 * Splits the value of `and=(…)` or `or=(…)` by the rules of lite's own parser: quotes have no escape, and the
 * contents of braces are not split. Null when it is not a group.
 */
export function readLogicGroup(text: string): LogicGroup | null {
  if (!text.startsWith('(') || !text.endsWith(')')) return null
  const read: LogicGroup = { conditions: [], groups: 0, listItems: 0 }
  const open: ('group' | 'list')[] = []
  let start = 0
  let braces = 0
  let isQuoted = false
  const endCondition = (end: number) => {
    const condition = text.slice(start, end).trim()
    if (condition) read.conditions.push(condition)
    start = end + 1
  }
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (sign === '"') isQuoted = !isQuoted
    if (isQuoted) continue
    if (sign === '{') braces++
    else if (sign === '}') braces--
    else if (sign === '(') {
      const isGroup =
        open.length === 0 || (open.at(-1) === 'group' && GROUP.test(text.slice(start, at).trim()))
      open.push(isGroup ? 'group' : 'list')
      if (isGroup) {
        read.groups++
        start = at + 1
      }
    } else if (sign === ')') {
      if (open.pop() === 'group') endCondition(at)
    } else if (sign === ',') {
      if (open.at(-1) !== 'group') read.listItems++
      else if (braces === 0) endCondition(at)
    }
  }
  // A quote or bracket left open: the rest is a condition, whatever it is.
  if (start < text.length) endCondition(text.length)
  return read
}
