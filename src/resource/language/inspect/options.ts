import { kindOf } from '@/resource/fields/kinds'
import { isKeyText } from '@/resource/fields/related-field'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { hintFor } from '@/resource/language/inspect/hint'
import type { Inspection } from '@/resource/language/inspect/inspection'
import { refusalOf } from '@/resource/language/inspect/values'
import { isVariable } from '@/resource/request/filter/scope'

/** As `codeLanguage` reads them; a batch file is shown plain. */
const LANGUAGES = ['python', 'shell', 'bash', 'sh', 'powershell', 'batch', 'json']
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

/** Options that several kinds may have: each is judged by its name, wherever a field has it. */
const CHECKS: Record<
  string,
  (report: Report, value: unknown, field: Field, siblings: readonly string[]) => void
> = {
  values: (report, values) => {
    if (isRecord(values) && Object.keys(values).length === 0)
      report('', 'there are no values to choose from', 'Add them: `{ "open": "green", "closed": "gray" }`.')
    for (const value of isRecord(values) ? Object.keys(values) : [])
      if (value.trim() !== value || value === '')
        report(`/${value}`, `the value \`${value}\` begins or ends with a space`, 'Remove the space.')
  },
  keys: (report, keys, field) => {
    const columns: unknown = Reflect.get(field, 'fields')
    if (!isRecord(keys) || !isRecord(columns)) return
    for (const [name, source] of Object.entries(keys))
      for (const column of [name, String(source)]) {
        const inner = columns[column] as Field | undefined
        if (!inner)
          report(`/${name}`, `the inner table has no \`${column}\``, hintFor(column, Object.keys(columns)))
        else if (!isKeyText(inner))
          report(`/${name}`, `\`${column}\` is \`${inner.type}\``, 'A key is a text, made from a text.')
        else if (column === source && !inner.required)
          report(`/${name}`, `a row may have no \`${column}\``, 'Give it `"required": true`.')
      }
  },
  needs: (report, needs, field) => {
    const known = kindOf(field.type).choices?.(field)?.known ?? []
    for (const value of isRecord(needs) ? Object.keys(needs) : [])
      if (!known.includes(value)) report(`/${value}`, `no value \`${value}\``, hintFor(value, known))
  },
  automatic: (report, automatic, field) => {
    const known = kindOf(field.type).choices?.(field)?.known ?? []
    for (const [index, value] of textsOf(automatic).entries())
      if (!known.includes(value)) report(`/${index}`, `no value \`${value}\``, hintFor(value, known))
      else if (Reflect.get(field, 'default') === value)
        report(
          `/${index}`,
          `\`${value}\` is the default, which a form begins with`,
          'Choose another default.',
        )
    if (known.length > 0 && known.every((value) => textsOf(automatic).includes(value)))
      report('', 'no value is left to choose', 'Make the field `readonly`.')
  },
  suggestions: (report, given, field) => {
    const suggestions = textsOf(given)
    const twice = suggestions.find((each, index) => suggestions.indexOf(each) < index)
    if (twice !== undefined) report('', `the suggestion \`${twice}\` is listed twice`, 'Remove one.')
    const reasons = kindOf(field.type).isList ? [] : suggestions.map((each) => refusalOf(field, each)?.reason)
    const index = reasons.findIndex((reason) => reason !== undefined)
    if (index >= 0)
      report(
        '',
        `the suggestion \`${suggestions[index]}\` breaks the rules of the field: ${reasons[index]}`,
        'Change it, or the rule.',
      )
  },
  closed: (report, closed, field) => {
    if (closed === true && textsOf(Reflect.get(field, 'suggestions')).length === 0)
      report('', 'only suggestions may be chosen, and the list is empty', 'Add `suggestions`.')
  },
  thresholds: (report, given) => {
    const { warning, critical } = given as { warning: number; critical: number }
    if (warning >= critical)
      report('', `\`warning\` ${warning} is not below \`critical\` ${critical}`, 'Swap them.')
    for (const [name, value] of [['warning', warning] as const, ['critical', critical] as const])
      if (value < 0 || value > 100) report(`/${name}`, `\`${value}\` is not a share from 0 to 100`)
  },
  used: (report, used, _field, siblings) => {
    for (const [key, name] of Object.entries(used as Record<string, string>))
      if (!siblings.includes(name))
        report(`/${key}`, `no field \`${name}\` beside it`, hintFor(name, siblings))
  },
  record: (report, record, _field, siblings) => {
    for (const [key, name] of Object.entries(record as Record<string, string>))
      if (!siblings.includes(name)) report(`/${key}`, `no field \`${name}\``, hintFor(name, siblings))
  },
  currency: (report, currency) => {
    const known = Intl.supportedValuesOf('currency')
    if (!isVariable(currency) && !known.includes(String(currency)))
      report('', `\`${String(currency)}\` is no ISO code of a currency`, hintFor(String(currency), known))
  },
  language: (report, language) => {
    if (!isVariable(language) && !LANGUAGES.includes(String(language).toLowerCase()))
      report('', `no highlighting for \`${String(language)}\``, hintFor(String(language), LANGUAGES))
  },
  near: (report, near, field) => {
    if (near === Reflect.get(field, 'far'))
      report(
        '',
        '`near` and `far` are the same column',
        'Name the column that points here, and the one that points there.',
      )
  },
  default: (report, start, field) => {
    const inner: unknown = Reflect.get(field, 'fields')
    if (!isRecord(inner) || !Array.isArray(start)) return
    for (const [index, row] of start.entries())
      for (const name of isRecord(row) ? Object.keys(row) : [])
        if (!Object.hasOwn(inner, name))
          report(`/${index}/${name}`, `no field \`${name}\``, hintFor(name, Object.keys(inner)))
  },
}

/** A number without `decimals` is whole. */
function inspectDecimals(inspection: Inspection, pointer: string, field: Field): void {
  if (field.type !== 'number') return
  const { decimals = 0 } = field
  for (const key of ['default', 'min', 'max'] as const) {
    const value = field[key]
    if (typeof value === 'number' && Number(value.toFixed(decimals)) !== value)
      inspection.add(
        `${pointer}/${key}`,
        decimals === 0
          ? `\`${key}\` ${value} is not a whole number`
          : `\`${key}\` ${value} has more decimals than ${decimals}`,
        decimals === 0 ? 'Give the field `decimals`, or round it.' : 'Raise `decimals`, or round it.',
      )
  }
}

type Report = (pointer: string, message: string, hint?: string) => void

/** Keys that have no effect on the fields of a dialog or of an inner table. */
const OUTSIDE_ONLY = ['search', 'sort', 'filter', 'from', 'guard', 'once', 'component'] as const

/** Checks a field's options by themselves and against the fields beside it. */
export function inspectOptions(
  inspection: Inspection,
  pointer: string,
  field: Field,
  { siblings, isInner }: { siblings: readonly string[]; isInner: boolean },
): void {
  for (const [option, check] of Object.entries(CHECKS)) {
    const value: unknown = Reflect.get(field, option)
    if (value !== undefined)
      check(
        (place, message, hint) => inspection.add(`${pointer}/${option}${place}`, message, hint),
        value,
        field,
        siblings,
      )
  }
  inspectDecimals(inspection, pointer, field)
  if (!isInner && Reflect.has(field, 'used'))
    inspection.add(
      `${pointer}/used`,
      '`used` has an effect in an inner table (`rows`) only',
      'Remove it, or move the field there.',
    )
  if (field.from && field.required)
    inspection.add(
      `${pointer}/required`,
      'a field of another table is shown and not filled in, so it cannot be `required`',
      'Remove one of the two.',
    )
  for (const key of isInner ? OUTSIDE_ONLY : [])
    if (field[key] !== undefined)
      inspection.add(
        `${pointer}/${key}`,
        `\`${key}\` has no effect here`,
        'It belongs to a field of the resource.',
      )
  if (field.once && field.readonly)
    inspection.add(
      `${pointer}/once`,
      'the field is `readonly`, so `once` has no effect',
      'Remove one of the two.',
    )
  if (field.guard?.write && field.readonly)
    inspection.add(
      `${pointer}/guard/write`,
      'the field is `readonly`, so `guard` has nothing to keep',
      'Remove one of the two.',
    )
  const { detached, isLarge } = kindOf(field.type)
  if (field.sort && (detached || isLarge))
    inspection.add(`${pointer}/sort`, `a list cannot sort by a field of kind \`${field.type}\``, 'Remove it.')
}

const WORDS: ReadonlySet<string> = new Set(['label', 'help', 'empty'])

/** A text that is there and says nothing takes the place of the one in `locales/`. */
export function inspectBlankWords(inspection: Inspection, definition: Definition): void {
  const walk = (pointer: string, value: unknown): void => {
    if (Array.isArray(value)) for (const [index, each] of value.entries()) walk(`${pointer}/${index}`, each)
    if (!isRecord(value)) return
    for (const [key, inner] of Object.entries(value)) {
      const place = `${pointer}/${key}`
      const isWord = WORDS.has(key) && isRecord(inner) && !('type' in inner)
      if (!isWord) walk(place, inner)
      else
        for (const [language, text] of Object.entries(inner))
          if ([text].flat().some((each) => typeof each === 'string' && each.trim() === ''))
            inspection.add(`${place}/${language}`, 'the text is empty', 'Write it, or remove the key.')
    }
  }
  walk('', definition)
}
