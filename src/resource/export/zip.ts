import type { Write } from '@/resource/export/export-file'

/** A zip without its later additions cannot hold larger sizes or places. */
const MAX_BYTES = 0xffff_ffff
const DEFLATED = 8
/** Sizes and checksum come behind what they are of. */
const SIZES_FOLLOW = 8
const VERSION = 20
/**
 * The size packed at once is more than any stream holds back, so a piece has been read once the next one is asked
 * for.
 */
const PIECE = 64 * 1024
/** A deflated block that is not packed holds at most this many bytes. */
const MAX_PLAIN = 0xffff

const CRC = Uint32Array.from({ length: 256 }, (_none, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? 0xedb8_8320 ^ (sum >>> 1) : sum >>> 1
  return sum
})

function addToCrc(sum: number, bytes: Uint8Array): number {
  let next = ~sum
  for (const byte of bytes) next = (CRC[(next ^ byte) & 0xff] ?? 0) ^ (next >>> 8)
  return ~next >>> 0
}

/** Numbers of two or four bytes, the lowest byte first. */
function record(...numbers: readonly [bytes: 2 | 4, value: number][]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(numbers.reduce((sum, [size]) => sum + size, 0))
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const [size, value] of numbers) {
    if (size === 2) view.setUint16(at, value, true)
    else view.setUint32(at, value, true)
    at += size
  }
  return bytes
}

function dosTime(now: Date): number {
  const day = ((now.getFullYear() - 1980) << 9) | ((now.getMonth() + 1) << 5) | now.getDate()
  const time = (now.getHours() << 11) | (now.getMinutes() << 5) | (now.getSeconds() >> 1)
  return ((day << 16) | time) >>> 0
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
      // Else what is written next would wait for somebody to read on.
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

/** Where the browser packs nothing: the same form, as large as what is in it. */
function plain(write: Write): Packer {
  const block = (bytes: Uint8Array<ArrayBuffer>, isLast: boolean) => {
    const head = record([2, bytes.length], [2, ~bytes.length & 0xffff])
    return write(Uint8Array.of(isLast ? 1 : 0, ...head)).then(() => write(bytes))
  }
  return {
    write: async (bytes) => {
      for (let at = 0; at < bytes.length; at += MAX_PLAIN)
        await block(bytes.subarray(at, at + MAX_PLAIN), false)
    },
    end: () => block(new Uint8Array(), true),
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
  const entries: Uint8Array[] = []
  const encoder = new TextEncoder()
  const time = dosTime(new Date())
  let length = 0

  const put = async (bytes: Uint8Array<ArrayBuffer>) => {
    length += bytes.length
    if (length > MAX_BYTES) throw new RangeError('A zip holds no more')
    await write(bytes)
  }
  const open = async (path: string): Promise<Packer> => {
    const name = encoder.encode(path)
    const start = length
    const size = { packed: 0, whole: 0, sum: 0 }
    await put(
      Uint8Array.of(
        ...record([4, 0x0403_4b50], [2, VERSION], [2, SIZES_FOLLOW], [2, DEFLATED], [4, time]),
        ...record([4, 0], [4, 0], [4, 0], [2, name.length], [2, 0]),
        ...name,
      ),
    )
    const packed = packer(async (bytes) => {
      size.packed += bytes.length
      await put(bytes)
    })
    return {
      write: async (bytes) => {
        size.whole += bytes.length
        if (size.whole > MAX_BYTES) throw new RangeError('A zip holds no more')
        size.sum = addToCrc(size.sum, bytes)
        await packed.write(bytes)
      },
      end: async () => {
        await packed.end()
        const sizes = record([4, size.sum], [4, size.packed], [4, size.whole])
        await put(Uint8Array.of(...record([4, 0x0807_4b50]), ...sizes))
        entries.push(
          Uint8Array.of(
            ...record([4, 0x0201_4b50], [2, VERSION], [2, VERSION], [2, SIZES_FOLLOW], [2, DEFLATED]),
            ...record([4, time]),
            ...sizes,
            ...record([2, name.length], [2, 0], [2, 0], [2, 0], [2, 0], [4, 0], [4, start]),
            ...name,
          ),
        )
      },
    }
  }
  return {
    open,
    /** A whole file. */
    add: async (path: string, text: string) => {
      const file = await open(path)
      await file.write(encoder.encode(text))
      await file.end()
    },
    end: async () => {
      const start = length
      for (const entry of entries) await put(Uint8Array.from(entry))
      const count = entries.length
      await put(
        record(
          [4, 0x0605_4b50],
          [2, 0],
          [2, 0],
          [2, count],
          [2, count],
          [4, length - start],
          [4, start],
          [2, 0],
        ),
      )
    },
  }
}
