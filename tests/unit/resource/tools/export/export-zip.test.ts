import { crc32 } from 'node:zlib'
import { unzipSync } from 'fflate'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Write } from '@/resource/tools/export/export-file'
import { textBuffer } from '@/resource/tools/export/text-buffer'
import { zipWriter } from '@/resource/tools/export/zip'

afterEach(() => vi.unstubAllGlobals())

const LINES = Array.from({ length: 20_000 }, (_none, index) => `<row r="${index}">ışık ${index ** 3}</row>`)

async function zipped() {
  const parts: Uint8Array[] = []
  const zip = zipWriter(async (bytes) => void parts.push(bytes.slice()))
  await zip.add('small.xml', '<a/>')
  const large = await zip.open('a/large.xml')
  const lines = textBuffer()
  for (const [index, line] of LINES.entries()) {
    lines.add(line)
    // The same memory again and again, also while what it held is still being packed.
    if (index % 777 === 0) await lines.drain(large.write)
  }
  await lines.drain(large.write)
  await large.end()
  await zip.end()
  return new Uint8Array(Buffer.concat(parts))
}

/** The checksums in the list at the end, which nothing here reads the files by. */
function checksums(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer)
  let at = view.getUint32(bytes.length - 6, true)
  const count = view.getUint16(bytes.length - 12, true)
  return Array.from({ length: count }, () => {
    const sum = view.getUint32(at + 16, true)
    at += 46 + view.getUint16(at + 28, true)
    return sum
  })
}

describe('a zip', () => {
  it.each([true, false])('is read by others, packed by the browser or not (%s)', async (isPacked) => {
    if (!isPacked) vi.stubGlobal('CompressionStream', undefined)
    const bytes = await zipped()
    const files = unzipSync(bytes)
    const text = LINES.join('')
    expect(Object.keys(files)).toEqual(['small.xml', 'a/large.xml'])
    expect(new TextDecoder().decode(files['a/large.xml']) === text).toBe(true)
    expect(checksums(bytes)).toEqual(['<a/>', text].map((each) => crc32(each)))
    expect(bytes.length < text.length / 2).toBe(isPacked)
  })

  it('that cannot be written fails instead of waiting for ever', async () => {
    let room = 100_000
    const write: Write = async (bytes) => {
      room -= bytes.length
      if (room < 0) throw new Error('The disk is full')
    }
    const zip = zipWriter(write)
    const file = await zip.open('a')
    const noise = crypto.getRandomValues(new Uint8Array(60_000))
    const fill = async () => {
      for (let times = 0; times < 50; times++) await file.write(noise)
      await file.end()
    }
    await expect(fill()).rejects.toThrow('The disk is full')
  })
})
