// Plain JavaScript: the thread that reads mails loads it without a TypeScript loader.
import { Transform } from 'node:stream'
import { parentPort } from 'node:worker_threads'
import { MailParser } from 'mailparser'
import { asMarkdown, cleaned, cut, headOfHtml, markdownOf, quoted } from './mail-markdown.mjs'
import { MARKER, reportLines, splitQuote } from './mail-quote.mjs'

const MAX_BODY = 19_000
const MAX_TEXT = 12 * 1024 * 1024
const MAX_ATTACHMENTS = 50
const MAX_RECIPIENTS = 500
const MAX_REFERENCES = 50

/**
 * Decodes a text part. Mail programs declare UTF-8 and send another charset, and the other way round: bytes that are
 * valid UTF-8 are read as such, and others by the declared charset, or as windows-1254 where that is UTF-8 as well.
 */
class LenientDecoder extends Transform {
  #chunks = []

  constructor(declared) {
    super()
    this.declared = declared
  }

  _transform(chunk, _encoding, done) {
    this.#chunks.push(chunk)
    done()
  }

  _flush(done) {
    this.push(Buffer.from(decodeText(Buffer.concat(this.#chunks), this.declared)))
    done()
  }
}

/** Charsets whose bytes are no text of one byte a letter; UTF-8 is not guessed for them. */
const WIDE = /^(utf-?16|utf-?32|iso-2022|ucs-?2)/i

/** Mail programs name them in their own way; the decoder of Node knows them by these names. */
const ALIASES = {
  cp1254: 'windows-1254',
  'x-cp1254': 'windows-1254',
  latin5: 'iso-8859-9',
  cp1252: 'windows-1252',
}

export function decodeText(bytes, declared) {
  const charset = declared.trim().toLowerCase()
  if (!WIDE.test(charset)) {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    } catch {
      // It is another charset.
    }
  }
  const isUtf8 = /^(utf-?8|us-?ascii|ascii)$/.test(charset)
  try {
    return new TextDecoder(isUtf8 ? 'windows-1254' : (ALIASES[charset] ?? charset)).decode(bytes)
  } catch {
    // Nobody knows the declared charset. UTF-7 is among these: it hides markup from filters.
    return new TextDecoder('windows-1254').decode(bytes)
  }
}

class LenientParser extends MailParser {
  constructor() {
    super({ skipTextToHtml: true, skipHtmlToText: true, skipImageLinks: true, checksumAlgo: false })
    this.decoder = { decodeStream: (charset) => new LenientDecoder(charset.replace(/^x-lenient-/, '')) }
  }

  createNode(node) {
    const made = super.createNode(node)
    if (made.disposition === 'inline') made.charset = `x-lenient-${made.charset || 'utf-8'}`
    return made
  }
}

function parts(raw) {
  return new Promise((resolve, reject) => {
    const parser = new LenientParser()
    const found = { headerLines: [], headers: new Map(), text: '', html: '', attachments: [] }
    parser.on('error', reject)
    parser.on('headers', (headers) => {
      found.headers = headers
      found.headerLines = parser.headerLines
    })
    parser.on('data', (data) => {
      if (data.type === 'text') {
        found.text = data.text ?? ''
        found.html = data.html || ''
        return
      }
      const chunks = []
      const attachment = {
        name: data.filename,
        type: data.contentType,
        disposition: data.contentDisposition,
        content: null,
      }
      if (found.attachments.length < MAX_ATTACHMENTS) found.attachments.push(attachment)
      data.content.on('data', (chunk) => chunks.push(chunk))
      data.content.on('end', () => {
        attachment.content = Buffer.concat(chunks)
        data.release()
      })
    })
    parser.on('end', () => resolve(found))
    parser.end(raw)
  })
}

const valuesOf = ({ headerLines }, name) =>
  headerLines
    .filter(({ key }) => key === name)
    .map(({ line }) =>
      line
        .slice(line.indexOf(':') + 1)
        .replace(/\r?\n[ \t]+/g, ' ')
        .trim(),
    )

const addressesOf = (headers, names) =>
  names.flatMap((name) =>
    [headers.get(name)]
      .flat()
      .filter(Boolean)
      .flatMap((header) => (typeof header === 'string' ? [{ address: header }] : (header.value ?? [])))
      .flatMap((each) => each.group ?? [each]),
  )

const plain = (address) =>
  cleaned(String(address ?? ''))
    .toLowerCase()
    .replace(/^<|>$/g, '')
    .trim()

/** Whether programs read different senders from a From line: two addresses in brackets, a route, a group, or a line break that only some know. */
const isAmbiguous = (line) => {
  const bare = line.replace(/"(?:[^"\\]|\\.)*"/g, '')
  return /[\r\n\0]/.test(line) || (bare.match(/</g) ?? []).length > 1 || /<\s*@|;\s*$/.test(bare)
}

const idsIn = (text) => (cleaned(text).match(/<[^<>\s]{3,300}>/g) ?? []).slice(-MAX_REFERENCES)

/** Out-of-office messages of programs that mark them in the subject alone. */
const OUT_OF_OFFICE =
  /^\s*(?:automatic reply|auto(?:matic)?[- ]?reply|out of (?:the )?office|otomatik yan[ıi]t|ofis d[ıi][şs][ıi]|abwesenheitsnotiz|réponse automatique)/iu

/** Why a machine has sent this mail, or null. */
function machineOf(mail, sender) {
  const first = (name) => (valuesOf(mail, name)[0] ?? '').toLowerCase()
  const [returnPath] = valuesOf(mail, 'return-path')
  const type = first('content-type')
  if (
    returnPath?.replace(/\s/g, '') === '<>' ||
    /^(mailer-daemon|postmaster)@/.test(sender) ||
    /^multipart\/report\b/.test(type)
  )
    return 'bounce'
  const submitted = first('auto-submitted').split(/[;(]/, 1)[0].trim()
  if (submitted && submitted !== 'no') return 'auto_reply'
  const precedence = first('precedence')
  if (
    ['x-auto-response-suppress', 'x-autoreply', 'x-autorespond', 'x-auto-reply'].some(
      (name) => valuesOf(mail, name).length > 0,
    ) ||
    precedence === 'auto_reply' ||
    OUT_OF_OFFICE.test(String(mail.headers.get('subject') ?? ''))
  )
    return 'auto_reply'
  if (/^(bulk|junk|list)$/.test(precedence) || valuesOf(mail, 'list-id').length > 0) return 'bulk'
  return null
}

const isAligned = (domain, sender) => {
  const from = sender.slice(sender.lastIndexOf('@') + 1)
  return domain !== '' && (from === domain || from.endsWith(`.${domain}`))
}

/**
 * Whether the operator's own mail server says that the From line is true. Only the topmost result counts: the receiving
 * server writes it, and a sender may have written those below.
 */
function isAuthentic(mail, sender, authserv) {
  const [result] = valuesOf(mail, 'authentication-results')
  if (!authserv || !result) return false
  const [id, ...methods] = result
    .replace(/\([^()]*\)/g, ' ')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  if (id?.split(/\s/)[0] !== authserv.toLowerCase()) return false
  return methods.some((method) => {
    const value = (name) => new RegExp(`\\b${name}\\s*=\\s*"?@?([^\\s;"]+)`).exec(method)?.[1] ?? ''
    const domain = (text) => text.slice(text.lastIndexOf('@') + 1)
    if (/^dmarc\s*=\s*pass\b/.test(method)) return isAligned(domain(value('header\\.from')), sender)
    if (/^dkim\s*=\s*pass\b/.test(method))
      return isAligned(value('header\\.d') || domain(value('header\\.i')), sender)
    return /^spf\s*=\s*pass\b/.test(method) && isAligned(domain(value('smtp\\.mailfrom')), sender)
  })
}

const TOKEN = /(?<![a-z0-9])[a-z2-7]{52}(?![a-z0-9])/gi
/** Mail programs write the "+" before a token as %2B in links. */
const HIDDEN = /(?:%2B|(?<![a-z0-9]))[a-z2-7]{52}(?![a-z0-9])/gi

/**
 * A text without reply tokens: whoever reads the ticket would otherwise write in the name of the person whose mail program
 * quoted theirs. The line to answer above goes with its token.
 */
const withoutTokens = (text) =>
  text
    .split('\n')
    .filter((line) => !(line.includes(MARKER.trim()) && line.match(TOKEN)))
    .join('\n')
    .replace(HIDDEN, '…')

const TEXTUAL = /^(?:text\/|message\/|application\/(?:json|xml|rtf)\b)/i
/** Attached messages hold tokens, too: their bytes keep their number. */
const cleanFile = ({ type, content, ...file }) => ({
  ...file,
  type,
  content: TEXTUAL.test(type)
    ? Buffer.from(
        content.toString('latin1').replace(HIDDEN, (token) => '.'.repeat(token.length)),
        'latin1',
      )
    : content,
})

/** A name without a folder, and never empty. */
const fileName = ({ name, type }, at) => {
  const given = cut(
    withoutTokens(cleaned(String(name ?? '')))
      .replace(/^.*[/\\]/, '')
      .replace(/\s+/g, ' ')
      .trim(),
    -150,
  )
  if (given && given !== '.' && given !== '..') return given
  return type === 'message/rfc822' ? `message-${at + 1}.eml` : `attachment-${at + 1}`
}

/**
 * Reads a raw message.
 * @throws Error with words for an administrator when it has no sender or cannot be read
 */
export async function parseMail(raw, { authserv = '' } = {}) {
  const mail = await parts(raw)
  const senders = addressesOf(mail.headers, ['from'])
  const [from] = senders
  const sender = plain(from?.address)
  const to = [
    ...addressesOf(mail.headers, ['delivered-to', 'x-original-to', 'envelope-to', 'to', 'cc']).map(
      ({ address }) => plain(address),
    ),
  ].filter(Boolean)
  const title = cleaned(String(mail.headers.get('subject') ?? ''))
  const subject = withoutTokens(title)
  const recipients = [...new Set(to)].slice(0, MAX_RECIPIENTS)
  const head = { from: cut(sender, 0, 255), to: recipients, subject: cut(subject, 0, 500) }
  if (!/^[^@\s]+@[^@\s]+$/.test(sender) || sender.length > 255)
    return { ...head, problem: 'The message names no sender.' }
  // Mail servers check one of them, and mail programs show another.
  if (senders.length > 1 || valuesOf(mail, 'from').some(isAmbiguous) || valuesOf(mail, 'from').length > 1)
    return { ...head, problem: 'The message names more than one sender.' }

  const machine = machineOf(mail, sender)
  const text = cleaned(mail.text.slice(0, MAX_TEXT))
  const html = headOfHtml(mail.html)
  let written = text
  let isPlain = true
  const isHtmlCut = html.length < mail.html.length
  if (html.trim() && (!text.trim() || /<(?:b|strong|a|li|table)\b/i.test(html))) {
    try {
      const converted = cleaned(markdownOf(html))
      if (converted.trim() && !(isHtmlCut && text.trim())) {
        written = converted
        isPlain = false
      }
    } catch {
      // The text part says it as well.
    }
  }
  if (machine === 'bounce') written = reportLines(written)
  const { reply, quote } = splitQuote(written)
  const answer = withoutTokens(asMarkdown(reply))
  const rest = withoutTokens(asMarkdown(quote))
  const whole = rest ? `${answer}\n\n${quoted(rest)}` : answer
  const isCut = whole.length > MAX_BODY
  const attachments = mail.attachments
    .filter(({ content }) => content !== null && content.length > 0)
    .map((attachment, at) => ({
      name: fileName(attachment, at),
      type: String(attachment.type ?? ''),
      content: attachment.content,
    }))
    .map(cleanFile)
  // The quotation goes first, and the whole text is a file.
  if (isCut)
    attachments.push({
      name: 'message.txt',
      type: 'text/plain',
      content: Buffer.from(withoutTokens(written)),
    })
  const references = ['in-reply-to', 'references'].flatMap((name) => valuesOf(mail, name).flatMap(idsIn))
  const tokensIn = (places) =>
    places.flatMap((place) => place.match(TOKEN) ?? []).map((token) => token.toLowerCase())
  // The address says where a mail is meant to go. What its text quotes, of whichever ticket, counts only without one.
  const tokens =
    [
      recipients,
      [title, ...valuesOf(mail, 'x-konsol-token')],
      [text.slice(0, 200_000), html.slice(0, 400_000)],
    ]
      .map(tokensIn)
      .find((found) => found.length > 0) ?? []
  return {
    ...head,
    from_name: cut(cleaned(String(from?.name ?? '')), 0, 100),
    message_id: idsIn(valuesOf(mail, 'message-id')[0] ?? '')[0] ?? null,
    references: [...new Set(references)],
    tokens: [...new Set(tokens)].slice(0, 20),
    machine,
    is_authentic: isAuthentic(mail, sender, authserv),
    body: !isCut ? whole : answer.length > MAX_BODY ? `${cut(answer, 0, MAX_BODY)}…` : answer,
    is_cut: isCut,
    is_plain: isPlain,
    is_html_cut: isHtmlCut && !(isPlain && text.trim()),
    attachments,
  }
}

if (parentPort) {
  const port = parentPort
  port.on('message', async ({ id, raw, options }) => {
    try {
      const mail = await parseMail(Buffer.from(raw), options)
      port.postMessage({ id, mail })
    } catch (error) {
      port.postMessage({ id, error: error instanceof Error ? error.message : String(error) })
    }
  })
}
