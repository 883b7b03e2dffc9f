import { didYouMean } from '@/resource/language/did-you-mean'

/** The hint of a problem, when something near enough to the word exists. */
export function suggestion(word: string, candidates: Iterable<string>): { hint?: string } {
  const meant = didYouMean(word, candidates)
  return meant ? { hint: `Did you mean \`${meant}\`?` } : {}
}
