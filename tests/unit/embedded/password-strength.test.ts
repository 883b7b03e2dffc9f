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
    'Admin123!',
    'welcome2026',
    '2026-Welcome!',
    'abcdabcd',
    'xk9$wqxk9$wq',
    'passwordpassword',
    'Password-Password1',
    'welcomeWELCOME-26',
    'P@ssw0rd!2026',
    'Adm1n-2026',
    '123-456-789',
    'Q1w2-E3r4',
    'Konsol-2026!',
    'parola.PAROLA.1',
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
    'welcome-48210957',
    'Xk9$wQr2Xk9$wQr2',
    'admin kapısı 71',
    'пароль-sunshine-слово',
  ])('that is neither is taken: %s', (password) => {
    expect(weakReason(password, owner)).toBeNull()
  })

  it.each(['Demo-Console-2026', 'demo console 2026!', 'Demo-Console-2026-x1'])(
    'that our documentation publishes is for the accounts of the demo data alone: %s',
    (password) => {
      expect(weakReason(password, { email: 'ayse@acme.example', name: 'Ayşe' })).toBe('pwned')
      expect(weakReason(password, { email: 'admin@acme.test', name: 'Ayşe' })).toBeNull()
    },
  )
})
