const KINDS = ['text', 'textarea', 'number', 'date', 'enum', 'checkbox'] as const

/** A question of a form that is kept as data. */
export interface AnswerField {
  key: string
  label: string
  kind: (typeof KINDS)[number]
  required: boolean
  options: string[]
}

/** The questions of a stored form; rows that are none are left out, as the database never stores them. */
export function readForm(value: unknown): AnswerField[] {
  if (!Array.isArray(value)) return []
  return value.filter(isAnswers).flatMap((row) => {
    const kind = KINDS.find((known) => known === row.kind)
    if (typeof row.key !== 'string' || typeof row.label !== 'string' || !kind) return []
    const options = Array.isArray(row.options) ? row.options.map(String) : []
    return [{ key: row.key, label: row.label, kind, required: row.required === true, options }]
  })
}

export function isAnswers(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The keys of the required questions without an answer; a required checkbox has to be checked. */
export function missingAnswers(
  questions: readonly AnswerField[],
  answers: Readonly<Record<string, unknown>>,
): string[] {
  return questions.flatMap(({ key, required, kind }) => {
    const answer = answers[key]
    const isMissing =
      kind === 'checkbox' ? answer !== true : answer === undefined || answer === null || answer === ''
    return required && isMissing ? [key] : []
  })
}
