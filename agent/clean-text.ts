/** Marks that change the direction of text, and characters that nobody sees; a joined emoji keeps its joiner. */
const INVISIBLE =
  /[\u061c\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|(?<!\ufe0f|[\u2190-\u2bff\u{1f000}-\u{1faff}])\u200d|\u200d(?![\u2190-\u2bff\u{1f000}-\u{1faff}])/gu

/** Removes characters that Postgres cannot store: NUL, and lone surrogates. */
export const storableText = (text: string): string =>
  text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\uFFFD')

/** Cleans a text about this machine to one line, in the same way as `app.clean_text` in SQL. */
export const cleanText = (text: string): string =>
  storableText(text)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replace(/[\u0001-\u001f\u007f-\u009f]+/g, ' ')
    .replace(INVISIBLE, '')
    .trim()

/** Facts with each of their texts cleaned. */
export function cleanFacts<T>(facts: T): T {
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return cleanText(value)
    if (Array.isArray(value)) return value.map(clean)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, clean(item)]))
  }
  return clean(facts) as T
}

/** JSON that Postgres can keep, whatever a script or a machine has put into its texts. */
export const storableJson = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) => (typeof item === 'string' ? storableText(item) : item))
