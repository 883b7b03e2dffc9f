/** People whom the text of a box mentions as `@Name`, by their name there. */
export type Picked = Readonly<Record<string, string>>

/** The parts of a Markdown text that are code and mention nobody: fences, lines indented after an empty one, spans. */
const CODE =
  /(?:^|\n)[ \t]*?(```|~~~)[\s\S]*?(?:\n[ \t]*?\1|$)|(?:^|\n[ \t]*\n)(?:(?: {4}|\t)[^\n]*(?:\n|$))+|``[\s\S]*?``|`[^`]*`/g

const LINK = /\[@([^\]\n]{1,100})\]\(mention:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)/g

/** A name that could end its link early is not written as one. */
const SAFE_NAME = /^[^[\]\n]{1,100}$/

function outsideCode(text: string, change: (part: string) => string): string {
  let [done, from] = ['', 0]
  for (const match of text.matchAll(CODE)) {
    done += change(text.slice(from, match.index)) + match[0]
    from = match.index + match[0].length
  }
  return done + change(text.slice(from))
}

/** The text of a box as Markdown: `@Name` of a person who was picked becomes a link with the id. */
export function toMarkdown(text: string, picked: Picked): string {
  const names = Object.keys(picked)
    .filter((name) => SAFE_NAME.test(name))
    .sort((one, other) => other.length - one.length)
  if (names.length === 0) return text
  const escaped = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}[])@(${escaped.join('|')})(?![\\p{L}\\p{N}])`, 'gu')
  return outsideCode(text, (part) =>
    part.replace(pattern, (_all, name: string) => `[@${name}](mention:${picked[name]})`),
  )
}

/** The other way, for editing: the name of today in place of the one in the text. */
export function fromMarkdown(
  body: string,
  names: ReadonlyMap<string, string>,
): { text: string; picked: Picked } {
  const picked: Record<string, string> = {}
  const text = outsideCode(body, (part) =>
    part.replace(LINK, (_all, written: string, id: string) => {
      const name = names.get(id) ?? written
      picked[name] = id
      return `@${name}`
    }),
  )
  return { text, picked }
}

/** A character that starts a menu, and the words after it, when the caret is right behind them. */
export interface MenuStart {
  trigger: string
  words: string
  /** Where the trigger is. */
  from: number
}

/** The menu that the text before the caret asks for; null for none, as within code. */
export function menuAt(text: string, caret: number, triggers: readonly string[]): MenuStart | null {
  const before = text.slice(0, caret)
  const found = /(?:^|[\s(])([@/])([\p{L}\p{N}._-]*(?: [\p{L}\p{N}._-]+)?)$/u.exec(before)
  const [, trigger = '', words = ''] = found ?? []
  if (!found || !triggers.includes(trigger)) return null
  const from = caret - words.length - 1
  for (const match of text.matchAll(CODE))
    if (match.index <= from && from < match.index + match[0].length) return null
  return { trigger, words, from }
}
