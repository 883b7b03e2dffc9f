import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { isFindable } from '@/app/palette/use-found-records'
import { toColor } from '@/resource/fields/color/kind'
import { readChanges } from '@/resource/fields/diff/kind'
import type { FieldType } from '@/resource/fields/kind-interface'
import { kindOf } from '@/resource/fields/kinds'
import { MarkdownText } from '@/resource/fields/markdown/markdown-text'
import { isAmount, parseAmount } from '@/resource/fields/money/kind'
import { currencyOf, formatMoney } from '@/resource/fields/money/view'
import { isTimeZone, offsetText, zoneChoices } from '@/resource/fields/timezone/kind'
import type { Definition } from '@/resource/language/definition.generated'
import { buildSelect } from '@/resource/request/query/select'
import { recordTitle } from '@/resource/request/query/title'

describe('money', () => {
  it('is read as people of either language write it', () => {
    const amounts: [string, number | null, number | null][] = [
      // text, English, Turkish
      ['1234.5', 1234.5, 1234.5],
      ['1234,5', 1234.5, 1234.5],
      ['1,234.50', 1234.5, 1234.5],
      ['1.234,50', 1234.5, 1234.5],
      ['1.234', 1.234, 1234],
      ['1,234', 1234, 1.234],
      ['1.234.567', 1234567, 1234567],
      ['1 234 567,89', 1234567.89, 1234567.89],
      ['₺99,90', 99.9, 99.9],
      ['-5,00', -5, -5],
      ['12,34,56', null, null],
      ['1.2.3,4', null, null],
      ['abc', null, null],
      ['', null, null],
    ]
    for (const [text, en, tr] of amounts)
      expect([text, parseAmount(text, 'en'), parseAmount(text, 'tr')]).toEqual([text, en, tr])
  })

  it('has two decimals at most, and what is no amount stays for the form to tell', () => {
    expect([isAmount(1.25), isAmount('1.25'), isAmount(1.255), isAmount('12,5'), isAmount(null)]).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
    const { validate } = kindOf('money')
    const field = { type: 'money', currency: 'TRY', min: 0 } as never
    expect(validate?.('on beş', field)).toEqual({ key: 'money' })
    expect(validate?.(-1, field)).toMatchObject({ key: 'min' })
    expect(validate?.(15.5, field)).toBeNull()
  })

  it('takes its currency from the field or from the record', () => {
    expect(currencyOf('TRY', {})).toBe('TRY')
    expect(currencyOf('$record.currency', { currency: 'EUR' })).toBe('EUR')
    expect(currencyOf('$record.currency', {})).toBeUndefined()
    expect(formatMoney(1234.5, 'TRY', 'tr')).toBe('₺1.234,50')
    expect(formatMoney(1234.5, undefined, 'en')).toBe('1,234.50')
  })
})

describe('tags', () => {
  it('are anything, unless the list is closed', () => {
    const { validate } = kindOf('tags')
    const days = { type: 'tags', suggestions: ['mon', 'tue'] } as const
    expect(validate?.(['mon', 'never'], { ...days } as never)).toBeNull()
    expect(validate?.(['mon', 'never'], { ...days, closed: true } as never)).toEqual({ key: 'choice' })
    expect(validate?.(['mon', 'tue'], { ...days, closed: true } as never)).toBeNull()
  })
})

describe('markdown', () => {
  const html = (text: string) => renderToStaticMarkup(createElement(MarkdownText, { text }))

  it('becomes headings, lists, tables and emphasis', () => {
    const rendered = html('# Title\n\n- a **b**\n\n| x |\n|-|\n| 1 |')
    expect(rendered).toMatch(/<h4[^>]*>Title<\/h4>/)
    expect(rendered).toContain('<strong>b</strong>')
    expect(rendered).toContain('<table class="k-inner">')
  })

  it('never becomes what it says in HTML, nor a link that runs something, nor a picture that is fetched', () => {
    const hostile = [
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      '<iframe src="https://evil.test"></iframe>',
      '[x](javascript:alert(1))',
      '[x](JaVaScRiPt:alert(1))',
      '[x](data:text/html,<script>1</script>)',
      '<javascript:alert(1)>',
      '[x]: javascript:alert(1)\n\n[x]',
      '![p](https://evil.test/p.png)',
      '![p](x "onerror=alert(1)")',
      '[x](https://a.test" onmouseover="alert(1))',
      '<a href="javascript:alert(1)">x</a>',
    ]
    for (const text of hostile) {
      const rendered = html(text)
      expect([text, /<(script|img|iframe|style|svg)\b/i.test(rendered)]).toEqual([text, false])
      expect([text, /<[^>]+\son\w+=/i.test(rendered)]).toEqual([text, false])
      expect([text, /href="(?!https?:|mailto:)/i.test(rendered)]).toEqual([text, false])
    }
  })
})

describe('a misspelled kind', () => {
  const broken = {
    name: 'broken',
    fields: { serail: { type: 'txet' }, name: { type: 'text', search: true } },
  }
  const printers = { name: 'printers', fields: { broken_id: { type: 'relation', to: 'broken' } } }

  it('breaks no other screen', () => {
    const definition = broken as unknown as Definition
    const find = (name: string) => (name === 'broken' ? definition : null)
    expect(recordTitle(definition, { id: '1', name: 'A' })).toBe('A')
    expect(isFindable(definition)).toBe(true)
    expect(buildSelect(printers as unknown as Definition, ['broken_id'], find)).toContain('(id,name)')
    expect(() => kindOf('txet' as FieldType)).toThrow('No field kind')
  })
})

describe('the other kinds', () => {
  it('bring a color into its one form', () => {
    expect([toColor('#ABC'), toColor('1677FF'), toColor('#1677ff'), toColor('red')]).toEqual([
      '#aabbcc',
      '#1677ff',
      '#1677ff',
      'red',
    ])
    expect(kindOf('color').validate?.('red', { type: 'color' } as never)).toEqual({ key: 'color' })
  })

  it('know time zones by name, with the offset of the day', () => {
    expect([isTimeZone('Europe/Istanbul'), isTimeZone('Mars/Phobos'), isTimeZone('+03:00')]).toEqual([
      true,
      false,
      false,
    ])
    expect(offsetText('Europe/Berlin', new Date('2026-07-01'))).toBe('UTC+02:00')
    expect(offsetText('Europe/Berlin', new Date('2026-01-01'))).toBe('UTC+01:00')
    const values = zoneChoices(new Date()).map(({ value }) => value)
    expect(values).toContain('UTC')
    expect(new Set(values).size).toBe(values.length)
  })

  it('tell what changed in the order of the fields, leaving out what nobody chose', () => {
    const definition = { name: 'x', fields: { name: { type: 'text' }, size: { type: 'number' } } } as const
    const changes = {
      size: [1, 2],
      other: ['a', 'b'],
      name: [null, 'N'],
      company_id: [null, 'c'],
      settings: [null, {}],
    }
    expect(readChanges(changes, definition)).toEqual([
      { field: 'name', before: null, after: 'N' },
      { field: 'size', before: 1, after: 2 },
      { field: 'other', before: 'a', after: 'b' },
    ])
    expect(readChanges('broken', definition)).toEqual([])
  })
})
