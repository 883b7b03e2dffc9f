import { PRODUCT_NAME } from '../../../src/ui/brand'

export interface Texts {
  subject: string
  text: string
  html: string
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const WORDS = {
  tr: {
    subject: 'Şifrenizi belirleyin',
    why: `${PRODUCT_NAME} hesabınız için şifre belirleme bağlantısı istendi: ya şifrenizi unuttunuz ya da bir yönetici sizin için hesap açtı. Şifrenizi belirlemek için aşağıdaki bağlantıyı açın.`,
    button: 'Şifre belirle',
    note: 'Bağlantı 1 saat geçerlidir ve bir kez kullanılabilir. Böyle bir şey beklemiyorsanız bu iletiyi yok sayın.',
  },
  en: {
    subject: 'Choose your password',
    why: `A link to choose the password of your ${PRODUCT_NAME} account was asked for: you forgot it, or an administrator opened the account for you. Open the link below to choose it.`,
    button: 'Choose password',
    note: 'The link is valid for 1 hour and works once. If you did not expect it, ignore this message.',
  },
} as const

/**
 * In both languages: whoever has no password is not signed in, so their language is not known. One mail for the
 * forgotten password and for the first one: hosted GoTrue has one template for both, too.
 */
export function recoveryMail(link: string): Texts {
  const languages = [WORDS.tr, WORDS.en]
  const block = (words: (typeof languages)[number], lang: string) => `
    <div lang="${lang}" style="padding:20px 0;border-top:1px solid #e5e7eb">
      <p style="margin:0 0 16px">${escapeHtml(words.why)}</p>
      <p style="margin:0 0 16px"><a href="${escapeHtml(link)}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:#1d4ed8;color:#ffffff;text-decoration:none">${escapeHtml(words.button)}</a></p>
      <p style="margin:0;color:#4b5563">${escapeHtml(words.note)}</p>
    </div>`
  return {
    subject: `${PRODUCT_NAME}: ${WORDS.tr.subject} / ${WORDS.en.subject}`,
    text: languages.map(({ why, note }) => `${why}\n\n${link}\n\n${note}`).join('\n\n--\n\n'),
    html: `<!doctype html><html><body style="margin:0;padding:24px;font:15px/1.5 system-ui,sans-serif;color:#111827">
    <div style="max-width:520px;margin:0 auto"><h1 style="font-size:18px;margin:0 0 16px">${escapeHtml(PRODUCT_NAME)}</h1>
    ${block(WORDS.tr, 'tr')}${block(WORDS.en, 'en')}</div></body></html>`,
  }
}
