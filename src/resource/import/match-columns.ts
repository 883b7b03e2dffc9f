import { fold } from '@/i18n/fold'

/** The column titles that match a field: its name, and its labels in each language. */
export interface FieldNames {
  field: string
  names: string[]
}

/** Letters and figures only: `Son kullanma`, `son_kullanma` and `SON KULLANMA ` are one. */
function bare(text: string): string {
  return fold(text)
    .replace(/[^\p{L}\p{N}%]+/gu, ' ')
    .trim()
}

/** Our own export writes units behind the label: `Cost (TRY)`. */
function withoutUnit(title: string): string {
  return title.replace(/\s*[([][^()[\]]*[)\]]\s*$/, '')
}

/**
 * The field of each column, by its title; null for what is left out. A field is filled by one column only, the
 * first that names it: an exact name goes before one without its unit.
 */
export function matchColumns(titles: readonly string[], fields: readonly FieldNames[]): (string | null)[] {
  const taken = new Set<string>()
  const found: (string | null)[] = titles.map(() => null)
  for (const read of [bare, (title: string) => bare(withoutUnit(title))]) {
    for (const [index, title] of titles.entries()) {
      const wanted = read(title)
      if (found[index] !== null || wanted === '') continue
      const match = fields.find(
        ({ field, names }) => !taken.has(field) && [field, ...names].some((name) => bare(name) === wanted),
      )
      if (!match) continue
      found[index] = match.field
      taken.add(match.field)
    }
  }
  return found
}
