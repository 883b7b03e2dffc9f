import { Buffer } from 'node:buffer'

/** How many bytes of a file its type is read from. */
export const SNIFFED_BYTES = 4_096

/** The type of bytes that a system starts, installs or mounts: such a file is refused. */
export const PROGRAM = 'application/x-program'

/** Raster images: the only files that a browser may show in its place. Nothing in them is run. */
export const RASTER = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/bmp',
  'image/avif',
])

/** Types that a browser might run. They are sent as bytes without a type. */
const ACTIVE = new Set(['text/html', 'image/svg+xml', 'application/xml', 'text/javascript'])

export const servedType = (type: string): string =>
  ACTIVE.has(type)
    ? 'application/octet-stream'
    : type.startsWith('text/')
      ? `${type.split(';')[0]}; charset=utf-8`
      : type

type Magic = readonly [type: string, offset: number, bytes: string | readonly number[]]

/** The first that fits decides. */
const MAGIC: readonly Magic[] = [
  // Windows programs and libraries, ELF, Mach-O in its orders, shortcuts, installers of Windows are OLE (below).
  [PROGRAM, 0, 'MZ'],
  [PROGRAM, 0, [0x7f, 0x45, 0x4c, 0x46]],
  [PROGRAM, 0, [0xcf, 0xfa, 0xed, 0xfe]],
  [PROGRAM, 0, [0xce, 0xfa, 0xed, 0xfe]],
  [PROGRAM, 0, [0xfe, 0xed, 0xfa, 0xce]],
  [PROGRAM, 0, [0xfe, 0xed, 0xfa, 0xcf]],
  [PROGRAM, 0, [0xca, 0xfe, 0xba, 0xbe]],
  [PROGRAM, 0, [0x4c, 0x00, 0x00, 0x00, 0x01, 0x14, 0x02, 0x00]],
  [PROGRAM, 0, '#!'],
  [PROGRAM, 0, '!<arch>\ndebian'],
  [PROGRAM, 0, [0xed, 0xab, 0xee, 0xdb]],
  [PROGRAM, 0, 'xar!'],
  [PROGRAM, 0, '[InternetShortcut]'],
  [PROGRAM, 0, 'ITSF'],
  ['image/png', 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', 0, [0xff, 0xd8, 0xff]],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/bmp', 0, 'BM'],
  ['image/tiff', 0, [0x49, 0x49, 0x2a, 0x00]],
  ['image/tiff', 0, [0x4d, 0x4d, 0x00, 0x2a]],
  ['image/avif', 4, 'ftypavif'],
  ['image/heic', 4, 'ftypheic'],
  ['image/heic', 4, 'ftypheix'],
  ['image/heic', 4, 'ftypmif1'],
  ['video/quicktime', 4, 'ftypqt'],
  ['audio/mp4', 4, 'ftypM4A'],
  ['video/mp4', 4, 'ftyp'],
  ['video/webm', 0, [0x1a, 0x45, 0xdf, 0xa3]],
  ['audio/ogg', 0, 'OggS'],
  ['audio/mpeg', 0, 'ID3'],
  ['audio/mpeg', 0, [0xff, 0xfb]],
  ['audio/flac', 0, 'fLaC'],
  ['application/pdf', 0, '%PDF-'],
  ['application/rtf', 0, '{\\rtf'],
  ['application/zip', 0, 'PK\x03\x04'],
  ['application/zip', 0, 'PK\x05\x06'],
  ['application/gzip', 0, [0x1f, 0x8b]],
  ['application/x-7z-compressed', 0, [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]],
  ['application/x-rar-compressed', 0, 'Rar!\x1a\x07'],
  ['application/x-xz', 0, [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
  ['application/x-bzip2', 0, 'BZh'],
  ['application/zstd', 0, [0x28, 0xb5, 0x2f, 0xfd]],
  ['application/x-tar', 257, 'ustar'],
  ['application/x-ole', 0, [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]],
]

/** Documents that are archives inside: their first entries and their name agree. A zip is never unpacked. */
const ZIPPED: Readonly<Record<string, string>> = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  odt: 'application/vnd.oasis.opendocument.text',
  odp: 'application/vnd.oasis.opendocument.presentation',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
}

/** Older documents of Office. The same container holds installers, which are refused. */
const OLE: Readonly<Record<string, string>> = {
  doc: 'application/msword',
  xls: 'application/vnd.ms-excel',
  ppt: 'application/vnd.ms-powerpoint',
  msg: 'application/vnd.ms-outlook',
}

const TEXTS: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  md: 'text/markdown',
  json: 'application/json',
}

const startsAt = (bytes: Uint8Array, offset: number, wanted: string | readonly number[]): boolean => {
  const prefix = typeof wanted === 'string' ? Buffer.from(wanted, 'latin1') : wanted
  for (let at = 0; at < prefix.length; at++) if (bytes[offset + at] !== prefix[at]) return false
  return true
}

const extensionOf = (name: string): string => /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''

function textType(bytes: Uint8Array, name: string): string | null {
  const isUtf16 = startsAt(bytes, 0, [0xff, 0xfe]) || startsAt(bytes, 0, [0xfe, 0xff])
  const letters = Buffer.from(bytes).toString('latin1')
  // The mark of the encoding is no part of the first line.
  const text = (isUtf16 ? letters.replaceAll('\0', '') : letters).replace(
    /^(?:\xff\xfe|\xfe\xff|\xef\xbb\xbf)/,
    '',
  )
  if (!isUtf16) {
    if (bytes.includes(0)) return null
    // The sample may end within a character.
    const sample = bytes.length < SNIFFED_BYTES ? bytes : bytes.subarray(0, SNIFFED_BYTES - 4)
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: true })
    } catch {
      return /\.(csv|txt|log|ini)$/i.test(name) ? 'text/plain' : null
    }
  }
  // A shortcut of the web or of a Linux desktop begins with a line of its own, after blanks or comments.
  if (/^\s*(?:[;#][^\n]*\n\s*)*\[(?:InternetShortcut|Desktop Entry)\]/i.test(text)) return PROGRAM
  if (/<svg[\s>]/i.test(text)) return 'image/svg+xml'
  if (/^\s*<\?xml/i.test(text)) return 'application/xml'
  if (
    /<(?:!doctype\s+html|html|head|body|script|iframe|object|embed|meta|form|img|a|style)[\s>/]/i.test(text)
  )
    return 'text/html'
  return TEXTS[extensionOf(name)] ?? 'text/plain'
}

/**
 * The type of a file by its first `SNIFFED_BYTES` bytes. Its name only decides between formats that share a container.
 * @returns `PROGRAM` for a file that is refused
 */
export function contentType(bytes: Uint8Array, name: string): string {
  if (startsAt(bytes, 0, 'RIFF')) {
    if (startsAt(bytes, 8, 'WEBP')) return 'image/webp'
    if (startsAt(bytes, 8, 'WAVE')) return 'audio/wav'
  }
  const type = MAGIC.find(([, offset, wanted]) => startsAt(bytes, offset, wanted))?.[0]
  if (type === 'application/x-ole') return OLE[extensionOf(name)] ?? PROGRAM
  if (type === 'application/zip') {
    const head = Buffer.from(bytes).toString('latin1')
    if (head.includes('META-INF/MANIFEST.MF') || head.includes('AndroidManifest.xml')) return PROGRAM
    const isDocument = head.includes('[Content_Types].xml') || head.includes('mimetypeapplication/vnd.oasis')
    return (isDocument ? ZIPPED[extensionOf(name)] : undefined) ?? type
  }
  // Two letters are no proof: a text may begin so.
  if (type === 'image/bmp' && !bytes.includes(0)) return textType(bytes, name) ?? type
  return type ?? textType(bytes, name) ?? 'application/octet-stream'
}
