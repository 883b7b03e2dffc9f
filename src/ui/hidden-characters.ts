/**
 * Characters that nobody sees, that turn the direction of a text (a right-to-left override can hide a condition in a
 * comment), or that only some programs take for a line break. The database refuses them in scripts
 * (`app.hidden_character`); older scripts, values and outputs may have them.
 */
export const HIDDEN_CHARACTERS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each of them is looked for by itself
  /[\u0000-\u0008\u000b-\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{13430}-\u{13455}\u{1bca0}-\u{1bca3}\u{1d159}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|\r(?!\n)/gu

/**
 * The lines of a text as interpreters read them. A lone carriage return ends no line in Bash, so that it must end none
 * where the script is shown: it stays in its line, and is marked.
 */
export const linesOf = (text: string): string[] => text.split(/\r?\n/)

/** A run of blanks of this length could push what follows out of sight. */
const MIN_BLANK_RUN = 40
export const longBlanks = (): RegExp =>
  new RegExp(`[ \\t\\u00a0\\u2000-\\u200a\\u202f\\u205f\\u3000]{${MIN_BLANK_RUN},}`, 'gu')

export type TextPart =
  | { kind: 'text'; text: string }
  | { kind: 'hidden'; text: string }
  | { kind: 'blanks'; text: string; count: number }

/** `U+202E` */
export const codePointName = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** An emoji's own joiner or selector is part of it. */
const EMOJI =
  /\p{Extended_Pictographic}\ufe0f?(?:\u200d\p{Extended_Pictographic}\ufe0f?)*|[0-9#*]\ufe0f\u20e3/gu

/** Where the hidden characters and long runs of blanks of a text are, in order. */
function findParts(text: string): { at: number; length: number; part: TextPart }[] {
  const emoji = [...text.matchAll(EMOJI)].map(({ index, 0: found }) => [index, index + found.length] as const)
  const isInEmoji = (at: number) => emoji.some(([from, to]) => at > from && at < to)
  const hidden = [...text.matchAll(HIDDEN_CHARACTERS)]
    .filter(({ index }) => !isInEmoji(index))
    .map(({ index, 0: found }) => ({
      at: index,
      length: found.length,
      part: { kind: 'hidden', text: found } as const,
    }))
  const blanks = [...text.matchAll(longBlanks())].map(({ index, 0: found }) => ({
    at: index,
    length: found.length,
    part: { kind: 'blanks', text: found, count: found.length } as const,
  }))
  return [...hidden, ...blanks].sort((a, b) => a.at - b.at)
}

/** Splits a text into plain parts and parts that have to be marked. */
export function textParts(text: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  for (const { at, length, part } of findParts(text)) {
    if (at > end) parts.push({ kind: 'text', text: text.slice(end, at) })
    parts.push(part)
    end = at + length
  }
  if (end < text.length || parts.length === 0) parts.push({ kind: 'text', text: text.slice(end) })
  return parts
}

/** The text without what nobody sees in it; blanks and the joiners of emoji stay. */
export const withoutHidden = (text: string): string =>
  textParts(text)
    .filter(({ kind }) => kind !== 'hidden')
    .map((part) => part.text)
    .join('')
