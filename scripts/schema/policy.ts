/** The expression in the brackets behind `using` or `with check`, and where it is in the text of a policy. */
export function policyExpression(
  text: string,
  clause: 'using' | 'with check',
): { text: string; from: number; to: number } | undefined {
  const found = new RegExp(`\\b${clause.replace(' ', '\\s+')}\\s*\\(`, 'i').exec(text)
  if (!found) return undefined
  const from = found.index + found[0].length
  let [depth, at] = [1, from]
  for (; at < text.length && depth > 0; at++) {
    const quoted = text[at] === "'" ? /^'(?:[^']|'')*'/.exec(text.slice(at))?.[0] : undefined
    if (quoted) at += quoted.length - 1
    else if (text[at] === '(') depth++
    else if (text[at] === ')') depth--
  }
  return { text: text.slice(from, at - 1), from, to: at - 1 }
}

/** A `create policy` with the expressions of an `alter policy`. */
export function withExpressions(created: string, altered: string): string {
  return (['using', 'with check'] as const).reduce((result, clause) => {
    const [next, old] = [policyExpression(altered, clause), policyExpression(result, clause)]
    return next && old ? result.slice(0, old.from) + next.text + result.slice(old.to) : result
  }, created)
}
