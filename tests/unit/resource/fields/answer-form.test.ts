import { describe, expect, it } from 'vitest'
import { formatCountdown } from '@/i18n/format'
import { readForm } from '@/resource/fields/answers/answer-form'
import { formSource } from '@/resource/fields/answers/kind'

describe('the form of answers', () => {
  it('is read from the rows that another record keeps', () => {
    expect(
      readForm([
        { key: 'size', label: 'Size', kind: 'enum', options: ['S', 'M'], required: true },
        { key: 'note', label: 'Note', kind: 'textarea' },
        { key: 'odd', label: 'Odd', kind: 'file' },
        'nothing',
      ]),
    ).toEqual([
      { key: 'size', label: 'Size', kind: 'enum', options: ['S', 'M'], required: true },
      { key: 'note', label: 'Note', kind: 'textarea', options: [], required: false },
    ])
    expect(readForm(null)).toEqual([])
  })

  it('is named by a relation and a field of its record', () => {
    expect(formSource('$record.category_id.fields')).toEqual({ relation: 'category_id', field: 'fields' })
  })
})

describe('a countdown', () => {
  it.each([
    [59_000, 'en', '59 sec'],
    [3_599_000, 'en', '59 min 59 sec'],
    [3_600_000 + 120_000, 'en', '1 hr 2 min'],
    [2 * 86_400_000 + 3 * 3_600_000, 'en', '2 days 3 hr'],
    [2 * 86_400_000, 'tr', '2 gün 0 sa.'],
  ] as const)('of %d ms in %s reads %s', (ms, language, text) => {
    expect(formatCountdown(ms, language)).toBe(text)
  })
})
