import { LANGUAGES, type Language } from '../../../src/i18n/language'
import { PRODUCT_NAME } from '../../../src/ui/brand'
import { MARKER } from './mail-quote.mjs'
import { escapeHtml, type Texts } from './texts'

type Event =
  | 'received'
  | 'reply'
  | 'mention'
  | 'opened'
  | 'assigned'
  | 'resolved'
  | 'approval'
  | 'approval_canceled'
  | 'merged'
  | 'refused'

/** A row of `app.take_ticket_mails()`. Links are paths of the console. */
export interface TicketMail {
  content: {
    events: Event[]
    number: number
    subject: string
    comments: { id: string; author: string | null; body: string; files: string[] }[]
    description?: string | null
    /** The number and subject of the ticket that a merged one goes on as. */
    into?: string | null
    /** The question to the approver. */
    question?: string | null
    requester?: string | null
    company?: string
    /** The mail of somebody without an account has no links into the console. */
    has_account?: boolean
    link?: string
  }
  token: string | null
  message_id: string
  reply_to: string
  thread: string
}

interface Words {
  above: string
  lead: Record<Event, (requester: string, canReply: boolean, into: string) => string>
  /** Before the subject of a mail that asks something of its reader. */
  about: Partial<Record<Event, string>>
  wrote: (author: string) => string
  files: string
  open: string
  why: string
  whyApproval: string
  company: (name: string) => string
}

const WORDS: Record<Language, Words> = {
  en: {
    above: 'Write your reply above this line',
    lead: {
      received: (_, canReply) =>
        canReply
          ? 'Your request was received. You can answer this message to add to it.'
          : 'Your request was received.',
      reply: () => 'There is a new reply.',
      mention: () => 'You were mentioned in a reply.',
      opened: (requester) => (requester ? `A new ticket of ${requester}.` : 'A new ticket.'),
      assigned: (requester) =>
        requester ? `This ticket of ${requester} was assigned to you.` : 'This ticket was assigned to you.',
      resolved: (_, canReply) =>
        canReply
          ? 'Your request was resolved. If the problem is still there, answer this message to reopen it.'
          : 'Your request was resolved. If the problem is still there, reopen it in the console.',
      approval: (requester) =>
        requester
          ? `This request of ${requester} needs your approval. Open it in the console to approve or deny it.`
          : 'This request needs your approval. Open it in the console to approve or deny it.',
      approval_canceled: () => 'Your approval is no longer needed for this request.',
      merged: (_, canReply, into) =>
        canReply
          ? `Your request goes on as ${into}. Answer this message to add to it.`
          : `Your request goes on as ${into}.`,
      refused: () =>
        'Your message was not added to the ticket, because your account is deactivated. Contact your administrator.',
    },
    about: { approval: 'Approval needed', approval_canceled: 'Approval no longer needed' },
    wrote: (author) => `${author} wrote:`,
    files: 'Attachments',
    open: 'Open in the console',
    why: 'You receive this message because you take part in this ticket.',
    whyApproval: 'You receive this message because you were asked to approve this ticket.',
    company: (name) => `Service desk of ${name}`,
  },
  tr: {
    above: 'Yanıtınızı bu satırın üzerine yazın',
    lead: {
      received: (_, canReply) =>
        canReply
          ? 'Talebiniz alındı. Ekleme yapmak için bu iletiyi yanıtlayabilirsiniz.'
          : 'Talebiniz alındı.',
      reply: () => 'Yeni bir yanıt var.',
      mention: () => 'Bir yanıtta anıldınız.',
      opened: (requester) =>
        requester ? `${requester} yeni bir destek talebi açtı.` : 'Yeni bir destek talebi açıldı.',
      assigned: (requester) =>
        requester
          ? `${requester} tarafından açılan bu destek talebi size atandı.`
          : 'Bu destek talebi size atandı.',
      resolved: (_, canReply) =>
        canReply
          ? 'Talebiniz çözüldü. Sorun devam ediyorsa talebi yeniden açmak için bu iletiyi yanıtlayın.'
          : 'Talebiniz çözüldü. Sorun devam ediyorsa talebi konsolda yeniden açın.',
      approval: (requester) =>
        requester
          ? `${requester} tarafından açılan bu talep onayınızı bekliyor. Onaylamak veya reddetmek için talebi konsolda açın.`
          : 'Bu talep onayınızı bekliyor. Onaylamak veya reddetmek için talebi konsolda açın.',
      approval_canceled: () => 'Bu talep için onayınıza artık gerek yok.',
      merged: (_, canReply, into) =>
        canReply
          ? `Talebiniz şu talep olarak sürüyor: ${into}. Ekleme yapmak için bu iletiyi yanıtlayın.`
          : `Talebiniz şu talep olarak sürüyor: ${into}.`,
      refused: () =>
        'Hesabınız devre dışı bırakıldığı için iletiniz destek talebine eklenmedi. Yöneticinize başvurun.',
    },
    about: { approval: 'Onayınız gerekiyor', approval_canceled: 'Onayınıza gerek kalmadı' },
    wrote: (author) => `${author} yazdı:`,
    files: 'Ekler',
    open: 'Konsolda aç',
    why: 'Bu ileti, bu destek talebinde yer aldığınız için gönderildi.',
    whyApproval: 'Bu ileti, bu talep için onayınız istendiğinden gönderildi.',
    company: (name) => `${name} destek masası`,
  },
}

/** A subject is one line. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 280)

/** A mention is the name alone. */
const readable = (markdown: string): string =>
  markdown.replace(/\[(@[^\]\n]{1,100})\]\(mention:[0-9a-f-]{36}\)/g, '$1').replace(/ {2,}$/gm, '')

export interface ReplyMark {
  token: string | null
  inSubject: boolean
}

/** In the language of the person, or of their company. */
export function ticketMail(
  { content }: Pick<TicketMail, 'content'>,
  siteUrl: string,
  language: string | null,
  { token, inSubject }: ReplyMark,
): Texts {
  const words = WORDS[LANGUAGES.find((each) => each === language) ?? 'en']
  const link = content.has_account && content.link ? `${siteUrl}${content.link}` : null
  const lead = content.events
    .filter((event) => event !== 'reply' || content.events.length === 1)
    .map((event) => words.lead[event](content.requester ?? '', token !== null, content.into ?? ''))
  const mark = token ? `${MARKER}${words.above} -## [${token}]` : null
  const comments = content.comments.map(({ id, author, body, files }) => ({
    head: words.wrote(author ?? '–'),
    body: readable(body),
    files: files.map((name) => ({ name, link: link ? `${link}?comment=${id}` : null })),
  }))
  const isForApprover = content.events.every((event) => event === 'approval' || event === 'approval_canceled')
  const foot = [
    isForApprover ? words.whyApproval : words.why,
    ...(content.company ? [words.company(content.company)] : []),
  ]
  const text = [
    ...(mark ? [mark] : []),
    ...lead,
    ...comments.map(({ head, body, files }) =>
      [
        head,
        body,
        ...(files.length > 0
          ? [
              `${words.files}: ${files.map(({ name, link: at }) => (at ? `${name} <${at}>` : name)).join(', ')}`,
            ]
          : []),
      ].join('\n\n'),
    ),
    ...(content.question ? [content.question] : []),
    ...(content.description ? [readable(content.description)] : []),
    ...(link ? [link] : []),
    ['--', ...foot].join('\n'),
  ].join('\n\n')
  const box = (inner: string) => `<div style="white-space:pre-wrap;margin:0 0 16px">${inner}</div>`
  const html = `<!doctype html><html><body style="margin:0;padding:24px;font:15px/1.5 system-ui,sans-serif;color:#111827">
    ${mark ? `<p style="margin:0 0 16px;color:#4b5563;font-size:12px">${escapeHtml(mark)}</p>` : ''}
    <div style="max-width:640px">
    ${lead.map((line) => `<p style="margin:0 0 16px">${escapeHtml(line)}</p>`).join('')}
    ${comments
      .map(
        ({ head, body, files }) =>
          `<p style="margin:0 0 4px;font-weight:600">${escapeHtml(head)}</p>${box(escapeHtml(body))}${
            files.length > 0
              ? `<p style="margin:0 0 16px">${escapeHtml(words.files)}: ${files
                  .map(({ name, link: at }) =>
                    at
                      ? `<a href="${escapeHtml(at)}" style="color:#1d4ed8">${escapeHtml(name)}</a>`
                      : escapeHtml(name),
                  )
                  .join(', ')}</p>`
              : ''
          }`,
      )
      .join('')}
    ${content.question ? box(`<strong>${escapeHtml(content.question)}</strong>`) : ''}
    ${content.description ? box(escapeHtml(readable(content.description))) : ''}
    ${link ? `<p style="margin:0 0 16px"><a href="${escapeHtml(link)}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:#1d4ed8;color:#ffffff;text-decoration:none">${escapeHtml(words.open)}</a></p>` : ''}
    ${foot.map((line) => `<p style="margin:0 0 8px;color:#4b5563">${escapeHtml(line)}</p>`).join('')}
    </div></body></html>`
  const about = content.events.map((event) => words.about[event]).find((each) => each !== undefined)
  const subject = `${about ? `${about}: ` : ''}[#${content.number}] ${content.subject}${inSubject && token ? ` [${token}]` : ''}`
  return { subject: `${PRODUCT_NAME}: ${oneLine(subject)}`, text, html }
}

/** In the language of the person. */
export function testMail(link: string, language: string | null): Texts {
  const text =
    language === 'tr'
      ? 'Bu bir deneme e-postasıdır. Gönderim ayarları çalışıyor.'
      : 'This is a test mail. The settings for sending mail work.'
  return {
    subject: `${PRODUCT_NAME}: ${language === 'tr' ? 'Deneme e-postası' : 'Test mail'}`,
    text: `${text}\n\n${link}`,
    html: `<!doctype html><html><body><p>${escapeHtml(text)}</p><p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p></body></html>`,
  }
}
