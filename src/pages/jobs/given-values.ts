import type { Parameter } from '@/runs/start/parameters'

export interface GivenValue {
  name: string
  label: string
  /** A secret's value is not kept: for a secret this tells only whether a value was given. */
  value: string | number | boolean | null
  isSecret: boolean
  /** No version has this value, so that nobody approved it. A version fixes the choices, and of a boolean both values. */
  isFree: boolean
}

const plain = (value: unknown): GivenValue['value'] =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null

/** The parameters of a task in the order and with the labels of its script; those it no longer tells of follow by name. */
export function givenValues(
  parameters: readonly Parameter[],
  values: Readonly<Record<string, unknown>>,
  secretNames: readonly string[],
): GivenValue[] {
  const known = new Set(parameters.map(({ name }) => name))
  return [
    ...parameters.map(({ name, label, kind, initial }) => ({
      name,
      label,
      isSecret: kind === 'secret',
      value: kind === 'secret' ? secretNames.includes(name) : plain(values[name]),
      isFree:
        kind === 'secret'
          ? secretNames.includes(name)
          : (kind === 'text' || kind === 'number') &&
            plain(values[name]) !== null &&
            String(values[name]) !== String(initial ?? ''),
    })),
    ...Object.entries(values)
      .filter(([name]) => !known.has(name))
      .map(([name, value]) => ({ name, label: name, isSecret: false, value: plain(value), isFree: true })),
    ...secretNames
      .filter((name) => !known.has(name))
      .map((name) => ({ name, label: name, isSecret: true, value: true, isFree: true })),
  ]
}
