import { describe, expect, it } from 'vitest'
import { weakReason } from '../../../supabase/embedded/password-strength'

const owner = { email: 'ayse.yilmaz@acme.test', name: 'Ayşe Yılmaz' }

describe('a password', () => {
  it.each([
    'password',
    'Password1!',
    'SUNSHINE2026',
    '12345678',
    '11111111',
    'aaaaaaaab',
    'qwertyuiop',
    'galatasaray1905',
    'Fenerbahçe1907',
    'İstanbul34',
  ])('that many have is refused: %s', (password) => {
    expect(weakReason(password, owner)).toBe('pwned')
  })

  it.each([
    'ayse.yilmaz@acme.test',
    'AyseYilmaz',
    'ayşeyılmaz1',
    'Yilmaz-2026',
    'acme-test-2026',
    'Ayse.1990!',
  ])('made of the owner’s name or address is refused: %s', (password) => {
    expect(weakReason(password, owner)).toBe('personal')
  })

  it.each([
    'Fresh-Console-2027',
    'correct horse battery staple',
    'ayse mavi kapı 71 zil',
    '7Kt$w!fq',
    'yılan balığı uçurtma',
  ])('that is neither is taken: %s', (password) => {
    expect(weakReason(password, owner)).toBeNull()
  })
})
