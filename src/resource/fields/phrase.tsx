import { usePhrase } from '@/resource/definition/phrases'

/** A sentence of the database or of a device, in the reader's language. */
export function Phrase({ text }: { text: string }) {
  return usePhrase()(text)
}
