import { describe, expect, it } from 'vitest'
import { packageType } from '../../../supabase/embedded/files/package-type'

const bytes = (text: string) => Buffer.from(text, 'latin1')

describe('the content of a package', () => {
  it.each([
    ['tool_1.0_all.deb', '!<arch>\ndebian-binary   1', 'application/vnd.debian.binary-package'],
    ['fake.deb', 'random bytes of some length', 'upload_content'],
    ['other.deb', '!<arch>\nsome-library.o', 'upload_content'],
    ['tool.rpm', '\xed\xab\xee\xdb\x03', 'application/x-rpm'],
    ['setup.sh', '#!/bin/sh\n', 'text/x-shellscript'],
    ['setup.sh', 'echo', 'upload_content'],
    ['Tool.AppImage', '\x7fELF\x02', 'application/x-executable'],
    ['note.txt', 'a note', 'upload_type'],
    ['tool.tar.gz', '\x1f\x8b\x08', 'upload_type'],
    ['Setup.MSI', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'application/x-msi'],
    ['setup.exe', 'MZ\x90', 'application/vnd.microsoft.portable-executable'],
    ['setup.exe', 'PK\x03\x04', 'upload_content'],
    ['setup.ps1', 'Write-Output 1', 'text/x-powershell'],
    ['setup.ps1', '\xff\xfeW\x00', 'text/x-powershell'],
    ['setup.ps1', 'a\x00b', 'upload_content'],
    ['note.txt', 'MZ', 'upload_type'],
    ['setup', 'MZ', 'upload_type'],
    ['tool.pkg', 'xar!\x00', 'application/x-xar'],
    ['tool.dmg', 'x\x01sBb', 'upload_type'],
    ['constructor', '#!/bin/sh', 'text/x-shellscript'],
    ['installer', '\xcf\xfa\xed\xfe', 'application/x-mach-binary'],
  ])('of %s that begins with %j is %s', (name, first, wanted) => {
    const found = packageType(name, bytes(first))
    expect('hint' in found ? found.hint : found.type).toBe(wanted)
  })
})
