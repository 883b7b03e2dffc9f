const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const HEX_DIGITS = 64
const LETTERS = 52

/**
 * The 64 hexadecimal digits of a token as 52 letters. With `reply+` before them they fit the 64 characters that RFC 5321
 * gives to the local part of an address, and mail servers that change case do not break them.
 */
export function encodeToken(hex: string): string {
  let value = BigInt(`0x${hex}`) << 4n
  let text = ''
  for (let at = 0; at < LETTERS; at++) {
    text = (ALPHABET[Number(value & 31n)] ?? '') + text
    value >>= 5n
  }
  return text
}

/** The digits of such a text, or null where it is no token. */
export function decodeToken(text: string): string | null {
  if (!new RegExp(`^[a-z2-7]{${LETTERS}}$`).test(text)) return null
  let value = 0n
  for (const letter of text) value = (value << 5n) | BigInt(ALPHABET.indexOf(letter))
  if (value & 15n) return null
  return (value >> 4n).toString(16).padStart(HEX_DIGITS, '0')
}
