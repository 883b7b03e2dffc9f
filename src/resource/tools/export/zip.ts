import { Zip, ZipPassThrough } from 'fflate'
import type { Write } from '@/resource/tools/export/export-file'

/** A zip without its later additions cannot hold larger sizes or places, and fflate would cut them off. */
const MAX_BYTES = 0xffff_ffff
const DEFLATED = 8
/**
 * The size packed at once is more than any stream holds back, so a piece has been read once the next one is asked
 * for.
 */
const PIECE = 64 * 1024
/** A deflated block that is not packed holds at most this many bytes. */
const MAX_PLAIN = 0xffff
const NOTHING = new Uint8Array()

/** An entry whose content is packed outside: fflate counts and sums the bytes that are pushed, and passes none on. */
class Entry extends ZipPassThrough {
  override compression = DEFLATED
  override process(): void {}
}

interface Packer {
  write: Write
  end: () => Promise<void>
}

/** The browser packs the bytes itself, outside of the page's memory. */
function deflated(write: Write): Packer {
  const { readable, writable } = new CompressionStream('deflate-raw')
  const writer = writable.getWriter()
  const reader = readable.getReader()
  const pump = async () => {
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) await write(part.value)
    } catch (error) {
      // The next write would otherwise wait for a reader.
      await reader.cancel(error).catch(() => undefined)
      throw error
    }
  }
  const pumping = pump()
  pumping.catch(() => undefined)
  return {
    write: async (bytes) => {
      const whole = bytes.length - (bytes.length % PIECE)
      for (let at = 0; at < whole; at += PIECE) await writer.write(bytes.subarray(at, at + PIECE))
      // Some streams keep hold of a rest below a piece until more comes; a copy of the whole would wait for
      // collection.
      if (whole < bytes.length) await writer.write(bytes.slice(whole))
    },
    end: async () => {
      await Promise.all([writer.close(), pumping])
    },
  }
}

/** The same form where the browser packs nothing: as large as its content. */
function plain(write: Write): Packer {
  const block = async (bytes: Uint8Array<ArrayBuffer>, isLast: boolean) => {
    const { length } = bytes
    await write(Uint8Array.of(isLast ? 1 : 0, length, length >> 8, ~length, ~length >> 8))
    await write(bytes)
  }
  return {
    write: async (bytes) => {
      for (let at = 0; at < bytes.length; at += MAX_PLAIN)
        await block(bytes.subarray(at, at + MAX_PLAIN), false)
    },
    end: () => block(NOTHING, true),
  }
}

function packer(write: Write): Packer {
  try {
    return deflated(write)
  } catch {
    return plain(write)
  }
}

/** Files behind one another in a zip, written as they come; one at a time. */
export function zipWriter(write: Write) {
  const waiting: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  const zip = new Zip((error, bytes) => {
    if (error) throw error
    waiting.push(bytes)
  })
  const drain = async () => {
    for (const bytes of waiting.splice(0)) {
      length += bytes.length
      if (length > MAX_BYTES) throw new RangeError('A zip holds no more')
      await write(bytes)
    }
  }
  const open = async (path: string): Promise<Packer> => {
    const entry = new Entry(path)
    zip.add(entry)
    await drain()
    const put = async (bytes: Uint8Array<ArrayBuffer>, isLast = false) => {
      entry.ondata(null, bytes, isLast)
      await drain()
    }
    const packed = packer(put)
    return {
      write: async (bytes) => {
        entry.push(bytes)
        if (entry.size > MAX_BYTES) throw new RangeError('A zip holds no more')
        await packed.write(bytes)
      },
      end: async () => {
        await packed.end()
        entry.push(NOTHING, true)
        await put(NOTHING, true)
      },
    }
  }
  return {
    open,
    /** A whole file. */
    add: async (path: string, text: string) => {
      const file = await open(path)
      await file.write(new TextEncoder().encode(text))
      await file.end()
    },
    end: async () => {
      zip.end()
      await drain()
    },
  }
}
