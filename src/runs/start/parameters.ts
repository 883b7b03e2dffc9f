/** A procedure's typed parameters, as stored in `procedures.parameters`. */
export type ParameterKind = 'text' | 'number' | 'boolean' | 'choice' | 'secret'

export type Parameter = {
  name: string
  kind: ParameterKind
  label: string
  isRequired: boolean
  initial: string | number | boolean | null
  choices: string[]
}

const KINDS: ReadonlySet<unknown> = new Set(['text', 'number', 'boolean', 'choice', 'secret'])

/** Reads the stored parameters and drops entries without a name. An unknown kind is treated as text. */
export function toParameters(value: unknown): Parameter[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((entry: unknown): Parameter[] => {
    if (typeof entry !== 'object' || entry === null) return []
    const field = entry as Record<string, unknown>
    if (typeof field.name !== 'string' || field.name === '') return []
    const kind = KINDS.has(field.kind) ? (field.kind as ParameterKind) : 'text'
    return [
      {
        name: field.name,
        kind,
        label: typeof field.label === 'string' && field.label !== '' ? field.label : field.name,
        isRequired: field.required === true,
        // A secret has no default: everyone who sees the script can read its definition.
        initial: kind === 'secret' ? null : initialOf(field.default),
        choices: Array.isArray(field.choices) ? field.choices.map(String) : [],
      },
    ]
  })
}

const initialOf = (value: unknown): Parameter['initial'] =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null

export type ParameterValues = Record<string, string | number | boolean>

/** Initial values of the form: those of an earlier run, else the defaults. Secrets must be entered again. */
export function initialValues(
  parameters: readonly Parameter[],
  earlier: Record<string, unknown> = {},
): Record<string, unknown> {
  return Object.fromEntries(
    parameters.map((parameter) => {
      const known = parameter.kind === 'secret' ? null : (earlier[parameter.name] ?? parameter.initial)
      return [parameter.name, parameter.kind === 'boolean' ? known === true || known === 'true' : known]
    }),
  )
}

/** The parameters to send: only declared names with a value. */
export function toValues(parameters: readonly Parameter[], form: Record<string, unknown>): ParameterValues {
  const values: ParameterValues = {}
  for (const { name, kind } of parameters) {
    const value = form[name]
    if (value === undefined || value === null || value === '') continue
    if (kind === 'boolean') values[name] = value === true
    else if (kind === 'number') values[name] = Number(value)
    else values[name] = String(value)
  }
  return values
}
