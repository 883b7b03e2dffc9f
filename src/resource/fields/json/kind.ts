import type { FieldKind } from '@/resource/fields/kind-interface'

/** The form's value while the text is not valid JSON. It is never sent. */
export class InvalidJson {
  constructor(
    readonly text: string,
    readonly reason: string,
  ) {}
}

/** Reads a text that is not empty. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return new InvalidJson(text, error instanceof Error ? error.message : String(error))
  }
}

export const kind: FieldKind<'json'> = {
  type: 'json',
  compare: 'text',
  minWidth: 96,
  columns: ['jsonb', 'json'],
  wide: true,
  isLarge: true,
  widensSection: true,
  validate: (value) =>
    value instanceof InvalidJson ? { key: 'json', values: { reason: value.reason } } : null,
  file: { read: ({ text }) => ({ value: parseJson(text) }) },
}
