import { expect, it } from 'vitest'
import { textBuffer } from '@/resource/tools/export/text-buffer'

async function encoded(...texts: string[]): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  const buffer = textBuffer()
  for (const text of texts) buffer.add(text)
  await buffer.drain(async (bytes) => void parts.push(bytes.slice()))
  return Uint8Array.from(parts.flatMap((part) => [...part]))
}

it.each([
  'Işık, ĞÜŞİÖÇ',
  '\u0000\u007f\u0080\u07ff\u0800\ud7ff\ue000\uffff',
  '😀\u{10000}\u{10ffff}',
  // Halves of characters: alone, the wrong way round, and at the end.
  'a\ud83db\ude00c',
  '\ude00\ud83d',
  '\ud83d\ud83d\ude00\ud83d',
])('a text becomes the bytes that browsers make of it: %j', async (text) => {
  expect(await encoded(text)).toEqual(new TextEncoder().encode(text))
})

it('makes room for more than it had, and is empty once it was read', async () => {
  const buffer = textBuffer()
  const long = 'ş€'.repeat(150_000)
  buffer.add('first')
  buffer.add(long)
  const read: string[] = []
  const note = async (bytes: Uint8Array) => void read.push(new TextDecoder().decode(bytes))
  await buffer.drain(note)
  await buffer.drain(note)
  buffer.add('next')
  await buffer.drain(note)
  expect(read[0] === `first${long}`).toBe(true)
  expect(read.slice(1)).toEqual(['next'])
})
