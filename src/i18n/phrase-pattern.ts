/** A sentence with slots in one language, and how another language says it. */
export interface Phrase {
  pattern: RegExp
  slots: readonly Slot[]
  translation: string
}

interface Slot {
  name: string
  isNumber: boolean
}

/** Longer texts are not compared: no such sentence has so many characters. */
const MAX_LENGTH = 600
const SLOT = /\{\{(\w+)(, number)?\}\}/g
const SPECIAL = /[.*+?^${}()|[\]\\]/g

/** The sentences that both languages have, by key. */
export function compilePhrases(from: unknown, to: unknown): readonly Phrase[] {
  const phrases = Object.entries((from ?? {}) as Record<string, string>).flatMap(([key, sentence]) => {
    const translation = (to as Record<string, string> | undefined)?.[key]
    return translation === undefined ? [] : [compile(sentence, translation)]
  })
  // "Update the agent" before "Update {{name}}".
  return phrases.sort((a, b) => a.slots.length - b.slots.length)
}

function compile(sentence: string, translation: string): Phrase {
  const slots = [...sentence.matchAll(SLOT)].map(([, name = '', format]) => ({ name, isNumber: !!format }))
  const literals = sentence.split(/\{\{[^}]*\}\}/).map((text) => text.replace(SPECIAL, '\\$&'))
  const pattern = literals.reduce((all, text, index) => {
    const slot = slots[index - 1]
    return `${all}${slot?.isNumber ? '(-?\\d+(?:\\.\\d+)?)' : '(.+)'}${text}`
  })
  return { pattern: new RegExp(`^${pattern}$`), slots, translation }
}

/** The translation of a text that is one of these sentences; any other text as it is. */
export function translatePhrase(
  text: string,
  phrases: readonly Phrase[],
  formatNumber: (value: number) => string,
): string {
  if (text.length > MAX_LENGTH) return text
  for (const { pattern, slots, translation } of phrases) {
    const match = pattern.exec(text)
    if (!match) continue
    const values = new Map(
      slots.map(({ name, isNumber }, index) => {
        const value = match[index + 1] ?? ''
        return [name, isNumber ? formatNumber(Number(value)) : value]
      }),
    )
    return translation.replace(SLOT, (slot, name: string) => values.get(name) ?? slot)
  }
  return text
}
