import type words from '../../../locales/en/later.json'

/** The pages that have a sentence instead of content. */
export type LaterKey = keyof typeof words
