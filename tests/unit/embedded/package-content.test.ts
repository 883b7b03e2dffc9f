import { describe, expect, it } from 'vitest'
import { contentProblem } from '../../../supabase/embedded/package-content'

const bytes = (text: string) => Buffer.from(text, 'latin1')

describe('the content of a package', () => {
  it.each([
    ['linux', 'tool_1.0_all.deb', '!<arch>\ndebian-binary   1', undefined],
    ['linux', 'fake.deb', 'random bytes of some length', 'upload_content'],
    ['linux', 'other.deb', '!<arch>\nsome-library.o', 'upload_content'],
    ['linux', 'tool.rpm', '\xed\xab\xee\xdb\x03', undefined],
    ['linux', 'setup.sh', '#!/bin/sh\n', undefined],
    ['linux', 'setup.sh', 'echo', 'upload_content'],
    ['linux', 'Tool.AppImage', '\x7fELF\x02', undefined],
    ['linux', 'note.txt', 'a note', 'upload_type'],
    ['linux', 'setup.exe', 'MZ\x90', 'upload_type'],
    ['linux', 'tool.tar.gz', '\x1f\x8b\x08', 'upload_type'],
    ['windows', 'Setup.MSI', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', undefined],
    ['windows', 'setup.exe', 'MZ\x90', undefined],
    ['windows', 'setup.exe', 'PK\x03\x04', 'upload_content'],
    ['windows', 'setup.ps1', 'Write-Output 1', undefined],
    ['windows', 'setup.ps1', '\xff\xfeW\x00', undefined],
    ['windows', 'setup.ps1', 'a\x00b', 'upload_content'],
    ['windows', 'note.txt', 'MZ', 'upload_type'],
    ['windows', 'setup', 'MZ', 'upload_type'],
    ['macos', 'tool.pkg', 'xar!\x00', undefined],
    ['macos', 'tool.dmg', 'x\x01sBb', 'upload_type'],
    ['macos', 'constructor', '#!/bin/sh', undefined],
  ])('on %s, of %s that begins with %j: %s', (platform, file_name, first, hint) => {
    expect(contentProblem({ platform, file_name }, bytes(first))?.hint).toBe(hint)
  })
})
