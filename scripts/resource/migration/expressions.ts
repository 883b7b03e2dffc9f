const CAST =
  /::(?:text|numeric|integer|bigint|smallint|date|jsonb?|uuid|boolean|double precision|timestamp with(?:out)? time zone|timestamptz|character varying|regclass)(?:\(\d+(?:, ?\d+)?\))?(?:\[\])?/g

/**
 * One writing for an expression as people write it and as Postgres prints it: without casts, brackets and spaces.
 * Two that mean the same may still differ; two that read the same are the same.
 */
export function plain(expression: string): string {
  const texts: string[] = []
  const kept = expression.replace(/'(?:[^']|'')*'/g, (text) => `«${texts.push(text) - 1}»`)
  return kept
    .toLowerCase()
    .replace(CAST, '')
    .replace(/^check /, '')
    .replace(/\bnot in\b/g, '<>all array')
    .replace(/\bin\b/g, '=any array')
    .replace(/\b(pg_catalog|public)\./g, '')
    .replace(/[\s()[\]]/g, '')
    .replace(/«(\d+)»/g, (_all, index) => texts[Number(index)] ?? '')
}
