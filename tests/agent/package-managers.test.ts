import { describe, expect, it } from 'vitest'
import { apt, brew, choco, winget } from '../../agent/tasks/package-managers'

const APT = 'apt-get -q -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confold'
const WINGET = '--id some-app --exact --silent --disable-interactivity --accept-source-agreements'
const CHOCO = 'some-app --yes --no-progress --limit-output'

describe('package managers', () => {
  it.each([
    [
      apt,
      [
        `${APT} install --no-install-recommends -- some-app`,
        `${APT} install --only-upgrade -- some-app`,
        `${APT} remove -- some-app`,
      ],
    ],
    [
      winget('winget.exe'),
      [
        `winget.exe install ${WINGET} --accept-package-agreements --scope machine`,
        `winget.exe upgrade ${WINGET} --accept-package-agreements`,
        `winget.exe uninstall ${WINGET}`,
      ],
    ],
    [choco('choco'), [`choco install ${CHOCO}`, `choco upgrade ${CHOCO}`, `choco uninstall ${CHOCO}`]],
    [
      brew('/bin/brew', null),
      ['install', 'upgrade', 'uninstall'].map((verb) => `/bin/brew ${verb} some-app`),
    ],
    [
      brew('/bin/brew', 501),
      ['install', 'upgrade', 'uninstall'].map((verb) => `sudo -n -H -u #501 /bin/brew ${verb} some-app`),
    ],
  ])('ask nothing: $name', (manager, lines) => {
    const last = (['install', 'update', 'remove'] as const).map((act) => manager[act]('some-app').at(-1))
    expect(last.map((command) => [command?.file, ...(command?.args ?? [])].join(' '))).toEqual(lines)
  })

  it('mend a dpkg that was interrupted before they use it', () => {
    for (const act of ['install', 'update', 'remove'] as const)
      expect(apt[act]('some-app').at(-2)).toMatchObject({
        file: 'dpkg',
        args: ['--configure', '-a', '--force-confold'],
      })
  })
})
