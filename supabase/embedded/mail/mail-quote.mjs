// Plain JavaScript: the thread that reads mails loads it without a TypeScript loader.

/** The line that our own mails ask people to answer above. */
export const MARKER = '##- '

/** Lines with which mail programs begin the message that is answered. */
const BEGINS = [
  /^\s*(?:>\s*)*##- /,
  // Gmail and Apple Mail.
  /^\s*On .{4,200}\bwrote:\s*$/i,
  /^.{4,200}\btarihinde\b.{0,200}\b(?:şunu |şunları )?yazdı:?\s*$/iu,
  /^.{2,200}(?:,|;) .{4,80} tarihinde .{0,40}yazdı:\s*$/iu,
  /^Am .{4,200} schrieb .{0,200}:\s*$/i,
  /^Le .{4,200} a écrit\s*:\s*$/i,
  // Outlook.
  /^\s*-{2,}\s*(?:Original Message|Özgün İleti|Orijinal İleti|Orijinal Mesaj|İletilen ileti|Forwarded message|Ursprüngliche Nachricht)\s*-{2,}/iu,
  /^\s*\*{0,2}(?:From|Kimden|Gönderen|Von|De)\s*:\*{0,2}\s.*[@<].*/iu,
  // A signature, as RFC 3676 has it.
  /^--\s?$/,
  /^(?:Sent from my |iPhone'umdan gönderildi|Android için Outlook|Outlook for (?:iOS|Android))/iu,
]

/** An Outlook header names who, when and to whom; "From:" alone may be a word of the message. */
const HEADER = /^\s*\*{0,2}(?:From|Kimden|Gönderen|Von|De)\s*:/iu
const HEADER_NEXT =
  /^\s*\*{0,2}(?:Sent|Date|To|Gönderme Tarihi|Gönderildi|Tarih|Kime|Gesendet|An|Envoyé|À)\s*:/iu

/** No line that mail programs write is longer, and the patterns need the square of a line's length. */
const MAX_LINE = 600

function beginsQuote(lines, at) {
  const line = lines[at] ?? ''
  if (HEADER.test(line)) return lines.slice(at + 1, at + 4).some((next) => HEADER_NEXT.test(next))
  if (BEGINS.some((begin) => begin.test(line))) return true
  // "On … wrote:" may be broken over two lines.
  const joined = `${line} ${lines[at + 1] ?? ''}`
  return (
    (/^\s*On .{4,120}$/i.test(line) && /^\s*On .{4,240}\bwrote:\s*$/i.test(joined)) ||
    (/^.{4,200}$/.test(line) &&
      /yazdı:\s*$/iu.test(lines[at + 1] ?? '') &&
      /^.{4,300}\btarihinde\b.{0,200}yazdı:\s*$/iu.test(joined))
  )
}

/** The text that is new, and what mail programs quote below it with the signature. Nothing is lost. */
export function splitQuote(text) {
  const written = text.trimEnd().split('\n')
  // Patterns look at these; the shown text is cut from the whole lines.
  const lines = written.map((line) =>
    line.length > MAX_LINE ? `${line.trimEnd().slice(0, MAX_LINE)}…` : line,
  )
  // The head of a long text is enough: nobody writes ten thousand lines above a quotation.
  const end = Math.min(lines.length, 10_000)
  let from = lines.length
  for (let at = 0; at < end; at++) {
    if (beginsQuote(lines, at)) {
      from = at
      break
    }
  }
  // Lines with ">" at the end; answers between them stay where they are.
  let tail = from
  while (tail > 0 && /^\s*(?:>.*)?$/.test(lines[tail - 1] ?? '')) tail--
  if (lines.slice(tail, from).some((line) => /^\s*>/.test(line))) from = tail
  // A rule above the header of Outlook belongs to it.
  while (from > 0 && from < lines.length && /^\s*(?:_{8,}|-{8,})?\s*$/.test(lines[from - 1] ?? '')) from--
  // An answer below or between the quotation: the message is shown whole.
  const below = written.slice(from)
  const lastQuoted = below.findLastIndex((line) => /^\s*>/.test(line))
  const isAnsweredBelow =
    lastQuoted >= 0 &&
    below.slice(lastQuoted + 1).filter((line) => line.trim() && !/^--/.test(line)).length > 0 &&
    !below.slice(lastQuoted + 1).some((line) => /^--\s?$/.test(line))
  const reply = written.slice(0, from).join('\n').trim()
  if (isAnsweredBelow || !reply) return { reply: text.trim(), quote: '' }
  return {
    reply,
    quote: below
      .map((line) => line.replace(/^\s*>\s?/, ''))
      .join('\n')
      .trim(),
  }
}

/** The head of a delivery report, without the message that it returns. */
export const reportLines = (text) => text.split('\n').slice(0, 40).join('\n')
