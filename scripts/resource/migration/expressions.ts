const CAST =
  /::(?:text|numeric|integer|bigint|smallint|date|jsonb?|uuid|boolean|double precision|timestamp with(?:out)? time zone|timestamptz|character varying|regclass)(?:\(\d+(?:, ?\d+)?\))?(?:\[\])?/g

const NUMBER_TEXT = /'(-?\d+(?:\.\d+)?)'::(?:numeric|integer|bigint|smallint|double precision)/g

/** A column, or a function of one, as `between` follows it. */
const BETWEEN = /(\w+(?:\((?:[^()]|\([^()]*\))*\))?) between (-?[\d.]+) and (-?[\d.]+)/g

/**
 * Normalizes an expression as people write it and as Postgres prints it: without casts, brackets and spaces.
 * Two that mean the same may still differ; two that read the same are the same.
 */
export function plain(expression: string): string {
  const texts: string[] = []
  const kept = expression
    .replace(NUMBER_TEXT, '$1')
    .replace(/'(?:[^']|'')*'/g, (text) => `«${texts.push(text) - 1}»`)
  return (
    kept
      .toLowerCase()
      // PostgreSQL quotes a column that is named like a word of its own, such as position.
      .replace(/"([a-z_][a-z0-9_]*)"/g, '$1')
      .replace(BETWEEN, '$1 >= $2 and $1 <= $3')
      .replace(CAST, '')
      .replace(/^check /, '')
      .replace(/ not valid$/, '')
      .replace(/\bnot in\b/g, '<>all array')
      .replace(/\bin\b/g, '=any array')
      .replace(/\b(pg_catalog|public)\./g, '')
      .replace(/[\s()[\]]/g, '')
      .replace(/«(\d+)»/g, (_all, index) => texts[Number(index)] ?? '')
  )
}

/** Whether one of the checks contains the condition in these very words. */
export function holdsCondition(checks: readonly string[], condition: string): boolean {
  const wanted = plain(condition)
  return checks.some((check) => {
    const text = plain(check)
    const end = text.indexOf(wanted) + wanted.length
    // `x >= 1` is no part of `x >= 10`.
    return text.includes(wanted) && !/^[\d.]/.test(text.slice(end))
  })
}

/** The column of an index entry, without its direction. */
export const bare = (column: string | undefined): string =>
  (column ?? '').split(' ')[0]?.replaceAll('"', '') ?? ''
