import { didYouMean } from '@/resource/definition/did-you-mean'

/** What was probably meant, as a problem's hint. */
export function hintFor(word: string, candidates: readonly string[]): string | undefined {
  const meant = didYouMean(word, candidates)
  return meant ? `Did you mean \`${meant}\`?` : undefined
}
