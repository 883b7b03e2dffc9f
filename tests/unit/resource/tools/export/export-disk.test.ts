import { afterEach, describe, expect, it, vi } from 'vitest'
import { fileSink, removeStaleFiles } from '@/resource/tools/export/export-file'

/** As much of a browser's own disk as an export asks for. */
function fakeDisk(names: string[] = [], isFull = () => false) {
  const files = new Map<string, Uint8Array<ArrayBuffer>[]>(names.map((name) => [name, []]))
  const folder = {
    keys: async function* () {
      yield* [...files.keys()]
    },
    removeEntry: async (name: string) => void files.delete(name),
    getFileHandle: async (name: string) => {
      const parts: Uint8Array<ArrayBuffer>[] = []
      files.set(name, parts)
      return {
        createWritable: async () => ({
          write: async (bytes: Uint8Array<ArrayBuffer>) => {
            if (isFull()) throw new DOMException('No room', 'QuotaExceededError')
            parts.push(bytes)
          },
          close: async () => undefined,
          abort: async () => undefined,
        }),
        getFile: async () => new File(parts, name),
      }
    },
  }
  vi.stubGlobal('navigator', {
    storage: { getDirectory: async () => ({ getDirectoryHandle: async () => folder }) },
  })
  return files
}

const bytes = (text: string) => new TextEncoder().encode(text)

describe('a file that is exported', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('goes to the disk as it comes, is handed over whole, and leaves nothing behind', async () => {
    const files = fakeDisk()
    const sink = await fileSink('csv')
    await sink.write(bytes('a;'))
    await sink.write(bytes('b'))
    const blob = await sink.finish()
    expect([await blob.text(), blob.type]).toEqual(['a;b', 'text/csv;charset=utf-8'])
    expect(files.size).toBe(1)
    await sink.discard()
    expect(files.size).toBe(0)
  })

  it('with a hole in it is never finished', async () => {
    let isFull = true
    fakeDisk([], () => isFull)
    const sink = await fileSink('csv')
    await expect(sink.write(bytes('lost'))).rejects.toThrow('No room')
    isFull = false
    await expect(sink.write(bytes('more'))).rejects.toThrow('No room')
    await expect(sink.finish()).rejects.toThrow('No room')
  })

  it('is gathered in memory where the browser keeps no files', async () => {
    vi.stubGlobal('navigator', {})
    const sink = await fileSink('xlsx')
    await sink.write(bytes('x'))
    expect(await (await sink.finish()).text()).toBe('x')
    await sink.discard()
  })

  it('that a closed tab left is removed; one that may be on its way is not', async () => {
    const now = 100 * 60_000
    const files = fakeDisk([`${now - 60_000}-a`, `${now - 11 * 60_000}-b`, 'of no time'])
    await removeStaleFiles(now)
    expect([...files.keys()]).toEqual([`${now - 60_000}-a`])
    vi.stubGlobal('navigator', {})
    await expect(removeStaleFiles(now)).resolves.toBeUndefined()
  })
})
