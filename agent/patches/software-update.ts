import { printed } from '../inventory/command'
import { run, say } from '../tasks/command'
import { type Patch, type PatchName, type PatchSource, samePatch } from './patch'

type Labeled = Patch & { label: string }

/**
 * `softwareupdate --list`: `* Label: Safari17.1-17.1`, and below it `Title: Safari, Version: 17.1, Size: 148284KiB,
 * Recommended: YES, Action: restart,`. Older systems print the size as `148284K`.
 */
export function parseSoftwareUpdates(output: string): Labeled[] {
  const found: Labeled[] = []
  let label: string | null = null
  for (const line of output.split('\n')) {
    const named = /^\s*\* Label:\s*(.+?)\s*$/.exec(line)?.[1]
    if (named) {
      label = named
      continue
    }
    const [, title, version = ''] = /^\s*Title:\s*(.+?), Version:\s*([^,]*)/.exec(line) ?? []
    if (!label || !title) continue
    const kilobytes = Number(/Size:\s*(\d+)K/.exec(line)?.[1] ?? Number.NaN)
    const isSystem = /^macOS/.test(title)
    const isSecurity = /security/i.test(title)
    found.push({
      label,
      title: title.slice(0, 300),
      kb_number: version.trim().slice(0, 40),
      category: isSecurity ? 'security' : isSystem ? 'feature' : 'application',
      severity: isSecurity ? 'important' : 'unspecified',
      size_mb: Number.isFinite(kilobytes) ? Math.round((kilobytes / 1024) * 100) / 100 : null,
      release_date: null,
      reboot_required: /Action:\s*restart/.test(line),
    })
    label = null
  }
  return found
}

const list = async (): Promise<Labeled[] | null> => {
  const output = await printed('softwareupdate', ['--list'], 600)
  return output === null ? null : parseSoftwareUpdates(output)
}

export const softwareUpdate: PatchSource = {
  scan: async () => {
    const found = await list()
    return found && { missing: found.map(({ label: _label, ...patch }) => patch), installed: null }
  },
  state: () => null,
  refresh: () => run({ file: 'softwareupdate', args: ['--list'] }),
  install: async (wanted: readonly PatchName[]) => {
    const found = (await list()) ?? []
    const labels = found
      .filter((patch) => wanted.some((each) => samePatch(patch, each)))
      .map(({ label }) => label)
    if (labels.length === 0) {
      say('None of the updates is missing.')
      return 0
    }
    return run({ file: 'softwareupdate', args: ['--install', '--agree-to-license', ...labels] })
  },
}
