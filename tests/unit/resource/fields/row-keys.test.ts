import { expect, it } from 'vitest'
import { withKeys } from '@/resource/fields/rows/row-keys'

const form = { keys: { key: 'label' } }
const keysOf = (...rows: object[]) => withKeys(form, rows).map((row) => (row as { key: string }).key)

it('makes the key of a row from its label, in letters that every form takes', () => {
  expect(
    keysOf(
      { label: 'Diş Hekimi İSMİ' },
      { label: ' Çalışma yeri (şehir, ülke)? ' },
      { label: 'IĞDIR ığdır' },
      { label: 'ÖÜÇŞĞ' },
      { label: 'Größe' },
    ),
  ).toEqual(['dis_hekimi_ismi', 'calisma_yeri_sehir_ulke', 'igdir_igdir', 'oucsg', 'gro_e'])
})

it('begins with a letter whatever the label begins with, and is never empty', () => {
  expect(keysOf({ label: '2. telefon' }, { label: '電話' }, { label: '?!' })).toEqual([
    'row_2_telefon',
    'row',
    'row_2',
  ])
})

it('is at most 41 letters long and never twice the same', () => {
  const label = 'Uzun '.repeat(20)
  const keys = keysOf({ label }, { label }, { label: 'Kat' }, { label: 'KAT' }, { key: 'kat_2', label: 'x' })
  expect(new Set(keys).size).toBe(5)
  for (const key of keys) expect(key).toMatch(/^[a-z][a-z0-9_]{0,40}$/)
  expect(keys.slice(2)).toEqual(['kat', 'kat_3', 'kat_2'])
})

it('leaves a key that is there, whatever the label is called now', () => {
  const stored = [{ key: 'floor', label: 'Hangi kattasınız?' }]
  expect(withKeys(form, stored)).toEqual(stored)
  expect(withKeys({}, [{ label: 'x' }])).toEqual([{ label: 'x' }])
})
