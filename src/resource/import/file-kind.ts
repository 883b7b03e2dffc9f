import { FileProblem, type FileProblemKey } from '@/resource/import/file-problem'

function startsWith(bytes: Uint8Array, ...start: number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte)
}

/** Whether a text stands in the bytes as UTF-16, as the directory of an old Office file has it. */
function holdsWide(bytes: Uint8Array, text: string): boolean {
  const wide = new Uint8Array([...text].flatMap((letter) => [letter.charCodeAt(0), 0]))
  let from = bytes.indexOf(wide[0] ?? 0)
  while (from !== -1) {
    if (wide.every((byte, index) => bytes[from + index] === byte)) return true
    from = bytes.indexOf(wide[0] ?? 0, from + 1)
  }
  return false
}

const KNOWN: readonly [FileProblemKey, ...number[]][] = [
  ['pdf', 0x25, 0x50, 0x44, 0x46],
  ['image', 0x89, 0x50, 0x4e, 0x47],
  ['image', 0xff, 0xd8, 0xff],
  ['image', 0x47, 0x49, 0x46, 0x38],
  ['image', 0x42, 0x4d],
  ['otherZip', 0x1f, 0x8b],
  ['otherZip', 0x52, 0x61, 0x72, 0x21],
  ['otherZip', 0x37, 0x7a, 0xbc, 0xaf],
]

/** By what the file holds, whatever it is called. Throws a FileProblem for what is neither. */
export function kindOfFile(bytes: Uint8Array): 'workbook' | 'text' {
  if (bytes.length === 0) throw new FileProblem('empty')
  if (startsWith(bytes, 0x50, 0x4b, 0x03, 0x04)) return 'workbook'
  // One signature for all that Office wrote until 2003, and for what it encrypts today.
  if (startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0))
    throw new FileProblem(holdsWide(bytes, 'EncryptedPackage') ? 'encrypted' : 'oldExcel')
  for (const [key, ...start] of KNOWN) {
    // `BM` begins words too; a bitmap has zeros soon after it.
    if (startsWith(bytes, ...start) && (start.length > 2 || bytes.subarray(0, 20).includes(0)))
      throw new FileProblem(key)
  }
  return 'text'
}
