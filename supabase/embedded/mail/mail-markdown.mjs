// Plain JavaScript: the thread that reads mails loads it without a TypeScript loader.
import { convert } from 'html-to-text'

const MAX_HTML = 2 * 1024 * 1024
/** The parser needs the square of the number of elements that are open. */
const MAX_TAGS = 30_000

/** As much of an HTML part as is read. */
export function headOfHtml(html) {
  const head = html.slice(0, MAX_HTML)
  let at = -1
  for (let tags = 0; tags <= MAX_TAGS; tags++) {
    at = head.indexOf('<', at + 1)
    if (at < 0) return head
  }
  return head.slice(0, at)
}

const wrapped = (mark) => (elem, walk, builder) => {
  builder.addInline(mark)
  walk(elem.children, builder)
  builder.addInline(mark)
}

/** HTML as Markdown. Nothing is loaded: pictures are left out, and what they show is an attachment. */
export function markdownOf(html) {
  return convert(html, {
    wordwrap: false,
    limits: { maxInputLength: MAX_HTML, maxDepth: 200, ellipsis: '…' },
    formatters: {
      bold: wrapped('**'),
      italic: wrapped('*'),
      code: wrapped('`'),
      link: (elem, walk, builder) => {
        const href = String(elem.attribs?.href ?? '').trim()
        if (!/^(https?:\/\/|mailto:)[^\s<>()]+$/i.test(href)) return walk(elem.children, builder)
        builder.addInline('[')
        walk(elem.children, builder)
        builder.addInline(`](${href})`, { noWordTransform: true })
      },
    },
    selectors: [
      { selector: 'img', format: 'skip' },
      ...[
        'script',
        'style',
        'head',
        'title',
        'noscript',
        'template',
        'object',
        'iframe',
        'svg',
        'math',
        'form',
      ].map((selector) => ({ selector, format: 'skip' })),
      { selector: 'a', format: 'link' },
      ...['b', 'strong'].map((selector) => ({ selector, format: 'bold' })),
      ...['i', 'em'].map((selector) => ({ selector, format: 'italic' })),
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
        selector,
        options: { uppercase: false },
      })),
      { selector: 'table', options: { uppercaseHeaderCells: false } },
      { selector: 'code', format: 'code' },
      { selector: 'ul', options: { itemPrefix: '- ' } },
      { selector: 'blockquote', options: { leadingLineBreaks: 2, trailingLineBreaks: 2 } },
      // A reader that cannot tell where the quotation begins would show it as new text.
      { selector: '#divRplyFwdMsg', format: 'block', options: { leadingLineBreaks: 2 } },
    ],
  })
}

/**
 * Control characters and marks that turn the direction of text are no part of a message. The database refuses a text with
 * NUL or with half of a surrogate pair.
 */
export const cleaned = (text) =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/\u00a0/g, ' ')
    // The joiner stays: an emoji would fall into its parts.
    .replace(/(?!\n|\t|\u200d)[\p{Cc}\p{Cf}\p{Cs}]/gu, '')

/** A slice without the half of a surrogate pair that a cut may leave at either end. */
export const cut = (text, from, to) => text.slice(from, to).replace(/\p{Cs}/gu, '')

/** Plain text keeps its lines, and mentions nobody. */
export const asMarkdown = (text) =>
  text
    .split('\n')
    .map((line) =>
      line
        .replace(/^\s{0,40}(#{1,6}\s)/, '\\$1')
        .replace(/^\s{4,}/, '   ')
        .replaceAll('](mention:', '] (mention:')
        .trimEnd(),
    )
    .map((line, at, all) => (line && all[at + 1] ? `${line}  ` : line))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()

export const quoted = (text) =>
  text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')
