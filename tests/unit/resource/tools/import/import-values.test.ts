import { describe, expect, it } from 'vitest'
import { parseDay, parseInstant } from '@/resource/fields/date/written-dates'
import type { Field } from '@/resource/language/definition.generated'
import { readValue } from '@/resource/tools/import/check-rows'
import type { Cell } from '@/resource/tools/import/file-table'
import { findDateForm, findNumberForm } from '@/resource/tools/import/written-forms'
import { plan } from './import-licenses'

describe('numbers and dates as they are written', () => {
  it.each([
    [['1.234,56'], 'comma', false],
    [['1,234.56'], 'point', false],
    [['1.234', '12,5'], 'comma', false],
    [['1.234.567'], 'comma', false],
    [['1,234'], 'comma', true],
    [['12', 'x'], 'comma', false],
    [['0.125'], 'point', false],
  ] as const)('decimals of %j', (cells, form, isOpen) => {
    expect(findNumberForm(cells, 'comma')).toEqual({ form, isOpen })
  })

  it.each([
    [['21/11/2026', '01/02/2026'], 'day', false],
    [['11/21/2026'], 'month', false],
    [['01/02/2026'], 'day', true],
    [['01.02.2026'], 'day', false],
    [['2026-11-21'], 'day', false],
  ] as const)('days of %j', (cells, form, isOpen) => {
    expect(findDateForm(cells, 'day')).toEqual({ form, isOpen })
  })

  it.each([
    ['21.11.2026', 'day', '2026-11-21'],
    ['2026-11-21', 'month', '2026-11-21'],
    ['11/21/2026', 'month', '2026-11-21'],
    ['1/2/26', 'day', '2026-02-01'],
    ['21.11.2026 14:05', 'day', '2026-11-21'],
    ['5/3/2027', 'day', '2027-03-05'],
    ['5 Mar 2027', 'day', '2027-03-05'],
    ['5 Sept 2027, 14:05', 'day', '2027-09-05'],
    ['5 mart 2027', 'day', '2027-03-05'],
    ['1 AĞUSTOS 2027', 'day', '2027-08-01'],
    ['12 Şub 2027 14.05', 'day', '2027-02-12'],
    ['March 5, 2027', 'day', '2027-03-05'],
    ['05032027', 'day', '2027-03-05'],
    ['03052027', 'month', '2027-03-05'],
    ['20270305', 'day', '2027-03-05'],
    ['5 Foo 2027', 'day', undefined],
    ['5032027', 'day', undefined],
    ['31.02.2026', 'day', undefined],
    ['11/21/2026', 'day', undefined],
    ['yesterday', 'day', undefined],
    ['21.11.2026 99:00', 'day', undefined],
  ] as const)('%s, %s first', (text, form, day) => {
    expect(parseDay(text, form)?.day).toBe(day)
  })

  it('moments are on the reader’s clock unless they say otherwise', () => {
    expect(parseInstant('21.11.2026 14:05:06', 'day')).toBe(new Date(2026, 10, 21, 14, 5, 6).toISOString())
    expect(parseInstant('11/21/2026 2:05 PM', 'month')).toBe(new Date(2026, 10, 21, 14, 5).toISOString())
    expect(parseInstant('2026-11-21T14:05:00+03:00', 'day')).toBe('2026-11-21T11:05:00.000Z')
    expect(parseInstant('', 'day')).toBeNull()
  })

  const reader = { forms: plan.forms, choice: () => undefined }
  const number: Field = { type: 'number' }
  it.each([
    ['1.234,56', number, 1234.56],
    ['₺ 1.234,5', number, 1234.5],
    ['12,5 TL', number, 12.5],
    ['% 40', number, 40],
    ['-7', number, -7],
    ['1,5E+3', number, 1500],
    ['12345678901234567890', number, '12345678901234567890'],
    [12.5, number, 12.5],
    ['Evet', { type: 'boolean' }, true],
    ['HAYIR', { type: 'boolean' }, false],
    [false, { type: 'boolean' }, false],
    [new Date('2026-11-21T00:00:00Z'), { type: 'date' }, '2026-11-21'],
    [12, { type: 'text' }, '12'],
    [0.1, { type: 'text' }, '0.1'],
    ['  x ', { type: 'text' }, '  x '],
    [' a@b.co ', { type: 'email' }, 'a@b.co'],
    ["'=1+1", { type: 'text' }, '=1+1'],
    ["'s", { type: 'text' }, "'s"],
    ['a, b;c', { type: 'tags' }, ['a', 'b', 'c']],
    ['{"a":1}', { type: 'json' }, { a: 1 }],
  ] as [Cell, Field, unknown][])('%j becomes %j: %j', (cell, field, value) => {
    expect(readValue(cell, field, reader)).toEqual({ value })
  })

  it.each([
    ['twelve', number, 'number'],
    ['abc12', number, 'number'],
    ['perhaps', { type: 'boolean' }, 'boolean'],
    [46000, { type: 'date' }, 'date'],
    ['x', { type: 'enum', values: { a: 'blue' } }, 'choice'],
  ] as [Cell, Field, string][])('%j is no %j: %s', (cell, field, key) => {
    expect(readValue(cell, field, reader)).toEqual({ problem: { key } })
  })
})
