import { statSync } from 'node:fs'
import { printed } from '../inventory/command'
import { run, runAll, say } from '../tasks/command'
import { APT_REFRESH, aptUpgrade } from '../tasks/package-managers'
import { bytesToMb, type Patch, type PatchReport, type PatchSource, samePatch } from './patch'

/** Nothing is locked or changed: this also works without root. New packages may come along, none is removed. */
const DRY_RUN = ['-o', 'Debug::NoLocking=1', 'upgrade', '--with-new-pkgs']

/** `apt-get --print-uris`: `'http://…' name_1%3a2.0_amd64.deb 1429092 SHA256:…` → bytes by file name without architecture. */
function sizesOf(uris: string): Map<string, number> {
  const sizes = new Map<string, number>()
  for (const line of uris.split('\n')) {
    const [, file = '', bytes = ''] = /^'[^']*' (\S+) (\d+)/.exec(line) ?? []
    if (file) sizes.set(decodeURIComponent(file).replace(/_[^_]*\.deb$/, ''), Number(bytes))
  }
  return sizes
}

/** `apt-get -s`: `Inst openssl [3.0.14] (3.0.15 Debian-Security:12/stable-security [amd64])`; without `[…]` the package is new. */
export function parseAptUpgrades(simulated: string, uris: string): Patch[] {
  const sizes = sizesOf(uris)
  const found = new Map<string, Patch>()
  for (const line of simulated.split('\n')) {
    const [, name, installed = '', version = '', origin = ''] =
      /^Inst (\S+) \[([^\]]*)\] \((\S+) ([^[)]*)/.exec(line) ?? []
    if (!name) continue
    const title = name.replace(/:\w+$/, '')
    const isSecurity = /security/i.test(origin)
    found.set(title, {
      title,
      kb_number: version.slice(0, 40),
      category: isSecurity ? 'security' : 'application',
      severity: isSecurity ? 'important' : 'unspecified',
      size_mb: bytesToMb(sizes.get(`${title}_${version}`) ?? Number.NaN),
      release_date: null,
      // A new kernel runs after a restart only.
      reboot_required: /^linux-(image|generic|virtual)/.test(title),
      installed_version: installed.slice(0, 40) || null,
    })
  }
  return [...found.values()].sort((a, b) => (a.title < b.title ? -1 : 1))
}

async function scan(): Promise<PatchReport | null> {
  const [simulated, uris] = await Promise.all([
    printed('apt-get', ['-s', ...DRY_RUN], 120),
    printed('apt-get', ['-qq', '--print-uris', ...DRY_RUN], 120),
  ])
  return simulated === null ? null : { missing: parseAptUpgrades(simulated, uris ?? ''), installed: null }
}

const changedAt = (path: string): string => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? String(found.mtimeMs) : ''
}

export const aptPatches: PatchSource = {
  scan,
  state: () => `${changedAt('/var/lib/apt/lists')} ${changedAt('/var/lib/dpkg/status')}`,
  refresh: () => run(APT_REFRESH),
  install: async (wanted) => {
    const code = await run(APT_REFRESH)
    if (code !== 0) return code
    const missing = (await scan())?.missing ?? []
    const ready = wanted.filter((each) => missing.some((patch) => samePatch(patch, each)))
    for (const each of wanted)
      if (!ready.includes(each)) {
        const other = missing.find(({ title }) => title === each.title)
        say(
          other
            ? `${each.title} ${each.kb_number} was replaced by ${other.kb_number}, which nobody approved yet.`
            : `${each.title} ${each.kb_number} is not missing.`,
        )
      }
    return ready.length === 0
      ? 0
      : runAll(aptUpgrade(...ready.map(({ title, kb_number }) => `${title}=${kb_number}`)))
  },
}
