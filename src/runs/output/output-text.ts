/** Colors and cursor movements (CSI), window titles (OSC), and the other escape sequences of a terminal. */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are controlled by them
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]/g

/** Output as a terminal would show it, without colors: of an overwritten line, the last text. */
export function displayText(output: string): string {
  const text = output.includes('\x1b') ? output.replace(ESCAPES, '') : output
  if (!text.includes('\r')) return text
  return text
    .replaceAll('\r\n', '\n')
    .replace(/[^\n\r]*\r+(?=[^\n\r])/g, '')
    .replaceAll('\r', '')
}

/**
 * The line that replaces cut output, as the agent (`agent/run/output.ts`) and `app.capped_output` write it.
 */
const CUT_NOTE = /^… ([\d,]+) bytes \(([\d,]+) lines?\) cut here …$/m

export function cutOf(output: string): { bytes: number; lines: number } | null {
  const [, bytes, lines] = CUT_NOTE.exec(output) ?? []
  if (bytes === undefined || lines === undefined) return null
  return { bytes: Number(bytes.replaceAll(',', '')), lines: Number(lines.replaceAll(',', '')) }
}

/** More are neither marked nor walked through. */
export const MAX_MATCHES = 10_000

/** Folds case, Turkish letters too, and keeps the length of the text. */
const folded = (text: string): string => text.replace(/[İIı]/g, 'i').toLowerCase()

/** Where the words are, as offsets into the text. */
export function findMatches(text: string, query: string): number[] {
  if (query === '') return []
  const [haystack, needle] = [folded(text), folded(query)]
  const found: number[] = []
  for (
    let at = haystack.indexOf(needle);
    at >= 0 && found.length < MAX_MATCHES;
    at = haystack.indexOf(needle, at + needle.length)
  )
    found.push(at)
  return found
}

export type OutputPart = { start: number; text: string; lines: number }

/** Whole lines, so that the browser lays out only the parts in view. */
export function toParts(text: string, linesEach = 200): OutputPart[] {
  const parts: OutputPart[] = []
  for (let start = 0; start < text.length; ) {
    let end = start
    let lines = 0
    while (lines < linesEach && end < text.length) {
      const newline = text.indexOf('\n', end)
      end = newline < 0 ? text.length : newline + 1
      lines++
    }
    parts.push({ start, text: text.slice(start, end), lines })
    start = end
  }
  return parts
}
