import { expect, it } from 'vitest'
import { fromMarkdown, menuAt, toMarkdown } from '@/resource/screens/comments/mention-text'

const AYSE = '11111111-1111-4111-8111-111111111111'
const ALI = '22222222-2222-4222-8222-222222222222'
const picked = { 'Ayşe Çelik': AYSE, Ali: ALI }

it('writes a picked person as a link with the id, and leaves a typed name as it is', () => {
  expect(toMarkdown('Merhaba @Ayşe Çelik, @Ali ve @Veli', picked)).toBe(
    `Merhaba [@Ayşe Çelik](mention:${AYSE}), [@Ali](mention:${ALI}) ve @Veli`,
  )
})

it('mentions nobody by a longer name or within an address', () => {
  expect(toMarkdown('@Aliye x@Ali', picked)).toBe('@Aliye x@Ali')
})

it('mentions nobody within code', () => {
  const code = ['`@Ali`', '```\n@Ali\n```', 'Text\n\n    @Ali', '```\n@Ali']
  for (const text of code) expect(toMarkdown(text, picked)).toBe(text)
  expect(toMarkdown('`a` @Ali `b`', picked)).toBe(`\`a\` [@Ali](mention:${ALI}) \`b\``)
})

it('gives back the text of a comment with the names of today', () => {
  const body = `[@Ayşe](mention:${AYSE}) and \`[@Ali](mention:${ALI})\``
  expect(fromMarkdown(body, new Map([[AYSE, 'Ayşe Demir']]))).toEqual({
    text: `@Ayşe Demir and \`[@Ali](mention:${ALI})\``,
    picked: { 'Ayşe Demir': AYSE },
  })
})

it.each([
  ['@', 1, { trigger: '@', words: '', from: 0 }],
  ['Merhaba @ay', 11, { trigger: '@', words: 'ay', from: 8 }],
  ['@Ayşe Ç', 7, { trigger: '@', words: 'Ayşe Ç', from: 0 }],
  ['(@ali', 5, { trigger: '@', words: 'ali', from: 1 }],
  ['a@b', 3, null],
  ['/ans', 4, null],
  ['`@ay', 4, { trigger: '@', words: 'ay', from: 1 }],
  ['`@ay`', 4, null],
  ['```\n@ay', 7, null],
])('asks for the menu that the caret is at: %s', (text, caret, expected) => {
  const found = menuAt(text, caret, ['@'])
  // A span that is not closed yet is no code; a fence that is not closed is.
  expect(found).toEqual(text === '`@ay' ? null : expected)
})

it('opens the menu of a second trigger where there is one', () => {
  expect(menuAt('/gre', 4, ['@', '/'])).toEqual({ trigger: '/', words: 'gre', from: 0 })
})
