interface PackageType {
  type: string
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

type Format = readonly [type: string, check: Check]

const SCRIPT: Format = ['text/x-shellscript', isScript]

/** The formats by extension. `app.package_problem()` knows their types, and the platform of the app. */
const FORMATS: Readonly<Record<string, Format>> = {
  msi: ['application/x-msi', (bytes) => starts(bytes, [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])],
  exe: ['application/vnd.microsoft.portable-executable', (bytes) => starts(bytes, 'MZ')],
  ps1: ['text/x-powershell', isText],
  deb: ['application/vnd.debian.binary-package', (bytes) => starts(bytes, '!<arch>\ndebian-binary')],
  rpm: ['application/x-rpm', (bytes) => starts(bytes, [0xed, 0xab, 0xee, 0xdb])],
  pkg: ['application/x-xar', (bytes) => starts(bytes, 'xar!')],
  sh: SCRIPT,
}

/** A file of another extension is started by the agent as it is. */
const STARTED: readonly Format[] = [
  ['application/x-executable', isElf],
  ['application/x-mach-binary', isMachO],
  SCRIPT,
]

/** The type of a package by its name and its first bytes, or why no device could install it. */
export function packageType(name: string, first: Uint8Array): PackageType | Problem {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  const own = Object.hasOwn(FORMATS, extension) ? FORMATS[extension] : undefined
  if (own)
    return own[1](first)
      ? { type: own[0] }
      : { hint: 'upload_content', message: `The file is no .${extension} file inside.` }
  const started = STARTED.find(([, check]) => check(first))
  return started
    ? { type: started[0] }
    : { hint: 'upload_type', message: 'Files of this type cannot be installed on a device.' }
}
