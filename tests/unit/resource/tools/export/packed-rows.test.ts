import { afterEach, expect, it, vi } from 'vitest'
import type { Row } from '@/data/rows'
import { packedRows } from '@/resource/tools/export/packed-rows'

afterEach(() => vi.unstubAllGlobals())

/** Answers come in pieces that end anywhere, in the middle of a letter too. */
function answering(...bodies: string[]) {
  answeringAs(undefined, ...bodies)
}

function answeringAs(type: 'bytes' | undefined, ...bodies: string[]) {
  const answers = bodies.map((body) => {
    const bytes = new TextEncoder().encode(body)
    return new ReadableStream({
      type: type as 'bytes',
      start: (controller: ReadableStreamDefaultController | ReadableByteStreamController) => {
        const size = Math.max(7, Math.ceil(bytes.length / 100))
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
        controller.close()
      },
    })
  })
  vi.stubGlobal('fetch', async () => new Response(answers.shift(), { headers: { 'content-range': '0-1/2' } }))
}

const ROWS = [
  { id: 1, name: 'ışık "]},{[" \\', tags: ['a', ['b', {}]], other: { id: 2, name: 'Üsküdar\n' } },
  { id: 2, name: '', tags: [], other: null },
  { id: 3, name: '😀'.repeat(50) },
]

it('keeps rows as bytes and gives each as it was', async () => {
  answering(JSON.stringify(ROWS), JSON.stringify(ROWS.slice(1), null, 2), '[]', ' [ ]\n')
  const { fetch, unpack } = packedRows()
  const first = await fetch('/rows')
  expect(first.headers.get('content-range')).toBe('0-1/2')
  const places = [...((await first.json()) as Row[]), ...((await (await fetch('/rows')).json()) as Row[])]
  expect(places.map(unpack)).toEqual([...ROWS, ...ROWS.slice(1)])
  expect(await (await fetch('/rows')).json()).toEqual([])
  expect(await (await fetch('/rows')).json()).toEqual([])
})

it('lets go of them, and of more than it had room for', async () => {
  const long = [{ text: 'ş'.repeat(900_000) }, { text: 'last' }]
  answering(JSON.stringify(ROWS), JSON.stringify(long))
  const { fetch, unpack, clear } = packedRows()
  await fetch('/rows')
  clear()
  const places = (await (await fetch('/rows')).json()) as Row[]
  expect(places.map(unpack)).toEqual(long)
  expect(places[0]?.at).toBe(0)
})

it('hands over what is no list of rows, or not the whole of one', async () => {
  const others = [
    '',
    '{"message":"no"}',
    '[{"id":1},{"id"',
    '[{"id":1}] [',
    '<html></html>',
    '"text"',
    '[{"a":"b',
  ]
  answering(...others)
  const { fetch } = packedRows()
  for (const body of others) expect(await (await fetch('/rows')).text()).toBe(body)
})

it('reads into its own memory where the browser does, and begins anew when an answer breaks off', async () => {
  const long = [{ text: 'ş'.repeat(900_000) }, { text: 'last' }]
  answeringAs('bytes', JSON.stringify(ROWS), JSON.stringify(long), '[]')
  const { fetch, unpack, clear } = packedRows()
  const places = [
    ...((await (await fetch('/rows')).json()) as Row[]),
    ...((await (await fetch('/rows')).json()) as Row[]),
  ]
  expect(places.map(unpack)).toEqual([...ROWS, ...long])
  expect(await (await fetch('/rows')).json()).toEqual([])

  clear()
  const broken = new ReadableStream({
    type: 'bytes',
    pull: (controller) => controller.error(new TypeError('Failed to fetch')),
  })
  vi.stubGlobal('fetch', async () => new Response(broken))
  await expect(fetch('/rows')).rejects.toThrow('Failed to fetch')
  answeringAs('bytes', JSON.stringify(ROWS))
  expect(((await (await fetch('/rows')).json()) as Row[]).map(unpack)).toEqual(ROWS)
})
