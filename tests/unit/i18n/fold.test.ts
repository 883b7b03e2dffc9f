import { describe, expect, it } from 'vitest'
import { fold } from '@/i18n/fold'

describe('folding a text for a search', () => {
  it.each(['ışık', 'IŞIK', 'Işık', 'İŞİK', 'isik', 'i\u0307şik'])('%s is isik', (text) => {
    expect(fold(text)).toBe('isik')
  })

  it('lets case and accents fall away and keeps the rest', () => {
    expect(fold('Çağrı Merkezi · Kâğıt №2')).toBe('cagri merkezi · kagit no2')
  })
})
