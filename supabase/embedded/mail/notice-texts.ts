import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatNumber } from '../../../src/i18n/format'
import { LANGUAGES, type Language } from '../../../src/i18n/language'
import { compilePhrases, translatePhrase } from '../../../src/i18n/phrase-pattern'
import { PRODUCT_NAME } from '../../../src/ui/brand'
import { ROOT } from '../root'
import { escapeHtml, type Texts } from './texts'

type Severity = 'critical' | 'warning' | 'info'
type Priority = 'urgent' | 'high' | 'normal' | 'low'

interface AlertLine {
  severity: Severity
  message: string
  monitor: string
  link: string
  /** In a digest, which is of many devices. */
  device?: string
}

interface TicketLine {
  number: number
  subject: string
  requester: string | null
  priority: Priority
  link: string
}

interface MentionLine {
  /** The title of the record. */
  title: string
  author: string | null
  link: string
}

/** The result of `app.notice_content()`: links are paths of the console, and `records` counts unlisted records, too. */
export type Notice = { link: string; records: number; is_digest?: boolean } & (
  | { device: string | null; alerts: AlertLine[]; tickets?: undefined; mentions?: undefined }
  | { tickets: TicketLine[]; alerts?: undefined; mentions?: undefined }
  | { mentions: MentionLine[]; tickets?: undefined; alerts?: undefined }
)

interface Words {
  severities: Record<Severity, string>
  priorities: Record<Priority, string>
  oneAlert: (device: string, severity: string) => string
  alerts: (device: string, count: string) => string
  oneTicket: (number: number, subject: string) => string
  tickets: (count: string) => string
  from: (requester: string) => string
  more: (count: string) => string
  open: string
  oneMention: (author: string, title: string) => string
  mentions: (count: string) => string
  why: Record<'alerts' | 'tickets' | 'mentions', string>
  digest: (count: string) => string
  held: string
}

const WORDS: Record<Language, Words> = {
  en: {
    severities: { critical: 'Critical', warning: 'Warning', info: 'Info' },
    priorities: { urgent: 'Urgent', high: 'High', normal: 'Normal', low: 'Low' },
    oneAlert: (device, severity) => `${severity} alert on ${device}`,
    alerts: (device, count) => `${count} alerts on ${device}`,
    oneTicket: (number, subject) => `New ticket #${number}: ${subject}`,
    tickets: (count) => `${count} new tickets`,
    from: (requester) => `from ${requester}`,
    more: (count) => `${count} more are in the console.`,
    open: 'Open in the console',
    oneMention: (author, title) => `${author} mentioned you in ${title}`,
    mentions: (count) => `You were mentioned in ${count} comments`,
    why: {
      alerts:
        'You receive this message because a monitor notifies your role. Alerts of a device within five minutes come as one message.',
      tickets: 'You receive this message because you handle the tickets of your company.',
      mentions: 'You receive this message because somebody mentioned you in a comment.',
    },
    digest: (count) => `${count} alerts of several devices`,
    held: 'These alerts or tickets were held back, because you received many messages within an hour. They come together in one message, at most every half hour.',
  },
  tr: {
    severities: { critical: 'Kritik', warning: 'Uyarı', info: 'Bilgi' },
    priorities: { urgent: 'Acil', high: 'Yüksek', normal: 'Normal', low: 'Düşük' },
    oneAlert: (device, severity) => `${device}: ${severity.toLocaleLowerCase('tr')} düzeyinde alarm`,
    alerts: (device, count) => `${device}: ${count} alarm`,
    oneTicket: (number, subject) => `Yeni destek talebi #${number}: ${subject}`,
    tickets: (count) => `${count} yeni destek talebi`,
    from: (requester) => `talep eden: ${requester}`,
    more: (count) => `${count} kayıt daha konsolda.`,
    open: 'Konsolda aç',
    oneMention: (author, title) => `${author}, ${title} kaydında sizi andı`,
    mentions: (count) => `${count} yorumda anıldınız`,
    why: {
      alerts:
        'Bu ileti, bir izleyici rolünüzü bilgilendirdiği için gönderildi. Bir cihazın beş dakika içindeki alarmları tek iletide gelir.',
      tickets: 'Bu ileti, şirketinizin destek taleplerini yürüttüğünüz için gönderildi.',
      mentions: 'Bu ileti, bir yorumda anıldığınız için gönderildi.',
    },
    digest: (count) => `Birden fazla cihazda ${count} alarm`,
    held: 'Bir saat içinde çok sayıda ileti aldığınız için bu alarmlar veya destek talepleri bekletildi. Bekletilenler en fazla yarım saatte bir, tek iletide gönderilir.',
  },
}

const phrasesOf = (language: Language): unknown =>
  (
    JSON.parse(readFileSync(join(ROOT, 'locales', language, 'resources/_shared.json'), 'utf8')) as {
      phrases?: unknown
    }
  ).phrases

/** Devices write the messages of alerts in English. */
function messageIn(language: Language): (message: string) => string {
  if (language === 'en') return (message) => message
  const phrases = compilePhrases(phrasesOf('en'), phrasesOf(language))
  return (message) => translatePhrase(message, phrases, (value) => formatNumber(value, language))
}

/** A subject is one line, whatever a device calls itself. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 200)

interface Written {
  title: string
  lines: { text: string; link: string }[]
  notes: string[]
  open: string
}

function write(notice: Notice, language: Language): Written {
  const words = WORDS[language]
  const count = formatNumber(notice.records, language)
  const listed = (notice.alerts ?? notice.tickets ?? notice.mentions).length
  const rest = notice.records - listed
  const notes = [
    ...(rest > 0 && listed >= 50 ? [words.more(formatNumber(rest, language))] : []),
    ...(notice.is_digest ? [words.held] : []),
    words.why[notice.alerts ? 'alerts' : notice.tickets ? 'tickets' : 'mentions'],
  ]
  if (notice.alerts) {
    const translated = messageIn(language)
    const [first] = notice.alerts
    const device = notice.device ?? first?.device ?? '–'
    return {
      title:
        listed === 1 && first
          ? words.oneAlert(device, words.severities[first.severity])
          : notice.is_digest
            ? words.digest(count)
            : words.alerts(device, formatNumber(listed, language)),
      lines: notice.alerts.map(({ severity, device: ofLine, monitor, message, link }) => ({
        text: `${[words.severities[severity], ofLine, monitor].filter(Boolean).join(' · ')}: ${translated(message)}`,
        link,
      })),
      notes,
      open: words.open,
    }
  }
  if (notice.mentions) {
    const [first] = notice.mentions
    return {
      title:
        listed === 1 && first ? words.oneMention(first.author ?? '–', first.title) : words.mentions(count),
      lines: notice.mentions.map(({ title, author, link }) => ({
        text: [title, author].filter(Boolean).join(' · '),
        link,
      })),
      notes,
      open: words.open,
    }
  }
  const [first] = notice.tickets
  return {
    title: listed === 1 && first ? words.oneTicket(first.number, first.subject) : words.tickets(count),
    lines: notice.tickets.map(({ number, subject, requester, priority, link }) => ({
      text: [`#${number} ${subject}`, requester ? words.from(requester) : '', words.priorities[priority]]
        .filter(Boolean)
        .join(' · '),
      link,
    })),
    notes,
    open: words.open,
  }
}

/** In the language of the person; in all of them while it is unknown. */
export function noticeMail(notice: Notice, siteUrl: string, language: string | null): Texts {
  const known = LANGUAGES.filter((each) => each === language)
  const parts = (known.length > 0 ? known : [...LANGUAGES].reverse()).map((each) => ({
    language: each,
    ...write(notice, each),
  }))
  const link = `${siteUrl}${notice.link}`
  const block = ({ language: lang, title, lines, notes, open }: (typeof parts)[number]) => `
    <div lang="${lang}" style="padding:20px 0;border-top:1px solid #e5e7eb">
      <p style="margin:0 0 12px;font-weight:600">${escapeHtml(title)}</p>
      <ul style="margin:0 0 16px;padding-left:20px">${lines
        .map(
          (line) =>
            `<li><a href="${escapeHtml(`${siteUrl}${line.link}`)}" style="color:#1d4ed8">${escapeHtml(line.text)}</a></li>`,
        )
        .join('')}</ul>
      <p style="margin:0 0 16px"><a href="${escapeHtml(link)}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:#1d4ed8;color:#ffffff;text-decoration:none">${escapeHtml(open)}</a></p>
      ${notes.map((note) => `<p style="margin:0 0 8px;color:#4b5563">${escapeHtml(note)}</p>`).join('')}
    </div>`
  return {
    subject: oneLine(`${PRODUCT_NAME}: ${parts.map(({ title }) => title).join(' / ')}`),
    text: parts
      .map(({ title, lines, notes }) =>
        [title, lines.map(({ text }) => `- ${text}`).join('\n'), link, ...notes].join('\n\n'),
      )
      .join('\n\n--\n\n'),
    html: `<!doctype html><html><body style="margin:0;padding:24px;font:15px/1.5 system-ui,sans-serif;color:#111827">
    <div style="max-width:520px;margin:0 auto"><h1 style="font-size:18px;margin:0 0 16px">${escapeHtml(PRODUCT_NAME)}</h1>
    ${parts.map(block).join('')}</div></body></html>`,
  }
}
