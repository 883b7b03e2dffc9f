const ROOM = 256 * 1024
/** A unit of a string takes at most this many bytes in UTF-8. */
const MAX_BYTES = 3
/** Half a character is replaced by this, as in every browser. */
const REPLACEMENT = 0xfffd

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff

/**
 * Text as bytes, in one stretch of memory that is used again and again: what is made anew waits for its collection.
 * Encoded here, piece by piece, so that no string has to be made of the pieces.
 */
export function textBuffer() {
  let bytes = new Uint8Array(ROOM)
  let length = 0
  const makeRoom = (most: number) => {
    if (most <= bytes.length) return
    const wider = new Uint8Array(Math.max(bytes.length * 2, most))
    wider.set(bytes.subarray(0, length))
    bytes = wider
  }
  const add = (text: string) => {
    makeRoom(length + text.length * MAX_BYTES)
    let at = length
    for (let index = 0; index < text.length; index++) {
      let code = text.charCodeAt(index)
      if (code < 0x80) {
        bytes[at++] = code
        continue
      }
      if (isHigh(code) && isLow(text.charCodeAt(index + 1)))
        code = 0x1_0000 + ((code - 0xd800) << 10) + (text.charCodeAt(++index) - 0xdc00)
      else if (isHigh(code) || isLow(code)) code = REPLACEMENT
      if (code < 0x800) bytes[at++] = 0xc0 | (code >> 6)
      else {
        if (code < 0x1_0000) bytes[at++] = 0xe0 | (code >> 12)
        else {
          bytes[at++] = 0xf0 | (code >> 18)
          bytes[at++] = 0x80 | ((code >> 12) & 0x3f)
        }
        bytes[at++] = 0x80 | ((code >> 6) & 0x3f)
      }
      bytes[at++] = 0x80 | (code & 0x3f)
    }
    length = at
  }
  return {
    add,
    /** Hands over what was added since the last time; what is given may not be kept. */
    drain: async (write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>) => {
      const full = bytes.subarray(0, length)
      length = 0
      if (full.length > 0) await write(full)
    },
  }
}
