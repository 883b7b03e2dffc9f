/** An agent installs a package by the app's platform and the file's extension (`installCommands` of the agent). */
export interface PackageName {
  file_name: string
  platform: string
}

interface Problem {
  hint: 'upload_type' | 'upload_content'
  message: string
}

const starts = (bytes: Uint8Array, ...wanted: readonly (string | readonly number[])[]): boolean =>
  wanted.some((each) => {
    const prefix = typeof each === 'string' ? Buffer.from(each, 'latin1') : Uint8Array.from(each)
    return bytes.length >= prefix.length && prefix.every((byte, at) => bytes[at] === byte)
  })

type Check = (bytes: Uint8Array) => boolean

/** UTF-16 has zero bytes, and begins with its mark. */
const isText: Check = (bytes) => starts(bytes, [0xff, 0xfe]) || !bytes.subarray(0, 4096).includes(0)
const isScript: Check = (bytes) => starts(bytes, '#!')
const isElf: Check = (bytes) => starts(bytes, [0x7f, 0x45, 0x4c, 0x46])
const isMachO: Check = (bytes) =>
  starts(bytes, [0xcf, 0xfa, 0xed, 0xfe], [0xca, 0xfe, 0xba, 0xbe], [0xca, 0xfe, 0xba, 0xbf])

/** Checks by platform and extension; `''` is any other file, which the agent starts as it is. */
const FORMATS: Record<string, Record<string, Check>> = {
  windows: {
    msi: (bytes) => starts(bytes, [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
    exe: (bytes) => starts(bytes, 'MZ'),
    ps1: isText,
  },
  linux: {
    deb: (bytes) => starts(bytes, '!<arch>\ndebian-binary'),
    rpm: (bytes) => starts(bytes, [0xed, 0xab, 0xee, 0xdb]),
    sh: isScript,
    '': (bytes) => isElf(bytes) || isScript(bytes),
  },
  macos: {
    pkg: (bytes) => starts(bytes, 'xar!'),
    sh: isScript,
    '': (bytes) => isMachO(bytes) || isScript(bytes),
  },
}

/** Why a file cannot be installed on its platform, by its first bytes; null when it can. */
export function contentProblem({ file_name, platform }: PackageName, first: Uint8Array): Problem | null {
  const formats = FORMATS[platform]
  if (!formats) return null
  const extension = /\.([a-z0-9]+)$/i.exec(file_name)?.[1]?.toLowerCase() ?? ''
  const own = Object.hasOwn(formats, extension) ? formats[extension] : undefined
  if (own)
    return own(first)
      ? null
      : { hint: 'upload_content', message: `The file is no .${extension} file inside.` }
  return formats['']?.(first)
    ? null
    : { hint: 'upload_type', message: `Files of this type cannot be installed on ${platform}.` }
}
