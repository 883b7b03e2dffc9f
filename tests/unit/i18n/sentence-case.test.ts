import { createInstance } from 'i18next'
import { describe, expect, it } from 'vitest'
import { inSentence, sentenceCase } from '@/i18n/sentence-case'

describe('a label inside a sentence', () => {
  it.each([
    ['en', 'Software licenses', 'software licenses'],
    ['en', 'Access Points', 'access points'],
    ['en', 'VPN networks', 'VPN networks'],
    ['en', 'IP', 'IP'],
    ['en', 'PCs and PowerShell', 'PCs and PowerShell'],
    ['en', 'E-mail addresses', 'e-mail addresses'],
    ['en', 'Invoices', 'invoices'],
    ['tr', 'İzleyiciler', 'izleyiciler'],
    ['tr', 'Işıklar', 'ışıklar'],
    ['tr', 'SLA kuralları', 'SLA kuralları'],
  ] as const)('in %s: %s', (language, label, expected) => {
    expect(inSentence(label, language)).toBe(expected)
  })

  it('is written so where a text says it', async () => {
    const i18n = createInstance().use(sentenceCase)
    const resources = { en: { common: { none: 'No {{name, inSentence}} yet' } } }
    await i18n.init({ lng: 'en', ns: 'common', resources, showSupportNotice: false })
    expect(i18n.getFixedT('en', 'common')('none' as never, { name: 'Vehicles' })).toBe('No vehicles yet')
  })
})
