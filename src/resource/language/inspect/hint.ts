import { didYouMean } from '@/resource/language/did-you-mean'

const MAX_LISTED = 12

/** The probable name as a problem's hint; the candidates, where no name is near. */
export function hintFor(word: string, candidates: readonly string[]): string | undefined {
  const meant = didYouMean(word, candidates)
  if (meant) return `Did you mean \`${meant}\`?`
  if (candidates.length === 0) return undefined
  const listed = candidates.slice(0, MAX_LISTED).map((each) => `\`${each}\``)
  return `There are ${listed.join(', ')}${candidates.length > MAX_LISTED ? ' and more' : ''}.`
}
