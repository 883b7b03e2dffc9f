import { PRODUCT_NAME } from '../../../src/ui/brand'

export interface Texts {
  subject: string
  text: string
  html: string
}

export type MailKind = 'invitation' | 'recovery'

interface Words {
  subject: string
  why: string
  button: string
  note: string
}

const WORDS: Record<MailKind, Record<'tr' | 'en', Words>> = {
  invitation: {
    tr: {
      subject: 'Hesabınız açıldı',
      why: `Bir yönetici sizin için ${PRODUCT_NAME} hesabı açtı. Şifrenizi belirlemek ve giriş yapmak için aşağıdaki bağlantıyı açın.`,
      button: 'Şifre belirle',
      note: 'Bağlantı 1 saat geçerlidir ve bir kez kullanılabilir. Süresi dolduysa giriş sayfasındaki “Şifrenizi mi unuttunuz?” bağlantısıyla yenisini isteyin. Böyle bir hesap beklemiyorsanız bu iletiyi yok sayın.',
    },
    en: {
      subject: 'Your account is ready',
      why: `An administrator created a ${PRODUCT_NAME} account for you. Open the link below to choose a password and sign in.`,
      button: 'Choose password',
      note: 'The link is valid for 1 hour and works once. If it has expired, use "Forgot your password?" on the sign-in page to get a new one. If you did not expect an account, ignore this message.',
    },
  },
  recovery: {
    tr: {
      subject: 'Şifrenizi belirleyin',
      why: `${PRODUCT_NAME} hesabınız için yeni şifre belirleme bağlantısı istendi. Şifrenizi belirlemek için aşağıdaki bağlantıyı açın.`,
      button: 'Şifre belirle',
      note: 'Bağlantı 1 saat geçerlidir ve bir kez kullanılabilir. Bu isteği siz yapmadıysanız bu iletiyi yok sayın.',
    },
    en: {
      subject: 'Choose your password',
      why: `Someone requested a link to choose a new password for your ${PRODUCT_NAME} account. Open the link below to choose it.`,
      button: 'Choose password',
      note: 'The link is valid for 1 hour and works once. If you did not request it, ignore this message.',
    },
  },
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** In both languages: a user without a password has not signed in, so the language is unknown. */
export function passwordMail(kind: MailKind, link: string): Texts {
  const { tr, en } = WORDS[kind]
  const block = (words: Words, lang: string) => `
    <div lang="${lang}" style="padding:20px 0;border-top:1px solid #e5e7eb">
      <p style="margin:0 0 16px">${escapeHtml(words.why)}</p>
      <p style="margin:0 0 16px"><a href="${escapeHtml(link)}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:#1d4ed8;color:#ffffff;text-decoration:none">${escapeHtml(words.button)}</a></p>
      <p style="margin:0;color:#4b5563">${escapeHtml(words.note)}</p>
    </div>`
  return {
    subject: `${PRODUCT_NAME}: ${tr.subject} / ${en.subject}`,
    text: [tr, en].map(({ why, note }) => `${why}\n\n${link}\n\n${note}`).join('\n\n--\n\n'),
    html: `<!doctype html><html><body style="margin:0;padding:24px;font:15px/1.5 system-ui,sans-serif;color:#111827">
    <div style="max-width:520px;margin:0 auto"><h1 style="font-size:18px;margin:0 0 16px">${escapeHtml(PRODUCT_NAME)}</h1>
    ${block(tr, 'tr')}${block(en, 'en')}</div></body></html>`,
  }
}
