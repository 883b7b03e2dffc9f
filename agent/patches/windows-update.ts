import { isRecord } from '../files'
import { printed } from '../inventory/command'
import { run } from '../tasks/command'
import {
  bytesToMb,
  MAX_PATCHES,
  type Patch,
  type PatchName,
  type PatchReport,
  type PatchSource,
} from './patch'

const POWERSHELL = ['-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand']

const encoded = (script: string): string[] => [
  ...POWERSHELL,
  Buffer.from(script, 'utf16le').toString('base64'),
]

/** Windows Update's own programming interface; a category is told by its id, because its name is translated. */
export const SCAN_SCRIPT = `
$ErrorActionPreference = 'Stop'
[Console]::OutputEncoding = [Text.UTF8Encoding]::new($false)
$found = (New-Object -ComObject Microsoft.Update.Session).CreateUpdateSearcher().Search("IsHidden=0 and Type='Software' or IsHidden=0 and Type='Driver'").Updates
@($found | ForEach-Object { @{
  title = $_.Title; kb = @($_.KBArticleIDs); installed = [bool]$_.IsInstalled; severity = [string]$_.MsrcSeverity
  categories = @($_.Categories | ForEach-Object { $_.CategoryID }); size = [double]$_.MaxDownloadSize
  date = $_.LastDeploymentChangeTime.ToString('yyyy-MM-dd'); reboot = $_.InstallationBehavior.RebootBehavior -ne 0
} }) | ConvertTo-Json -Depth 3 -Compress
`

/** The titles come in PARAM_PATCHES, as JSON: no text of theirs becomes part of the script. */
export const INSTALL_SCRIPT = `
$ErrorActionPreference = 'Stop'
[Console]::OutputEncoding = [Text.UTF8Encoding]::new($false)
$wanted = @($env:PARAM_PATCHES | ConvertFrom-Json)
$session = New-Object -ComObject Microsoft.Update.Session
$chosen = New-Object -ComObject Microsoft.Update.UpdateColl
foreach ($update in $session.CreateUpdateSearcher().Search('IsInstalled=0 and IsHidden=0').Updates) {
  if (@($wanted | Where-Object { $_.title -eq $update.Title }).Count -gt 0) {
    if (-not $update.EulaAccepted) { $update.AcceptEula() }
    [void]$chosen.Add($update)
  }
}
if ($chosen.Count -eq 0) { 'None of the updates is missing.'; exit 0 }
$downloader = $session.CreateUpdateDownloader(); $downloader.Updates = $chosen; [void]$downloader.Download()
$installer = $session.CreateUpdateInstaller(); $installer.Updates = $chosen
$result = $installer.Install()
for ($i = 0; $i -lt $chosen.Count; $i++) {
  $one = $result.GetUpdateResult($i)
  '{0}: {1} (0x{2:X8})' -f $chosen.Item($i).Title, @('not started', 'in progress', 'installed', 'installed with errors', 'failed', 'aborted')[$one.ResultCode], $one.HResult
}
if ($result.RebootRequired) { 'A restart is required.' }
if ($result.ResultCode -eq 2) { exit 0 } else { exit 1 }
`

const CATEGORIES: Record<string, Patch['category']> = {
  '0fa1201d-4330-4fa8-8ae9-b877473b6441': 'security',
  'e6cf1350-c01b-414d-a61f-263d14d133b4': 'critical',
  'e0789628-ce08-4437-be74-2495b842f43b': 'definition',
  'ebfc1fc5-71a4-4f7b-9aca-3b9a503104a0': 'driver',
  '3689bdc8-b205-4af4-8d4a-a63924c5e9d5': 'feature',
  'b54e7d24-7add-428f-8b75-90a396fa584f': 'feature',
}

const SEVERITIES: readonly string[] = ['critical', 'important', 'moderate', 'low']

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')
const texts = (value: unknown): string[] => (Array.isArray(value) ? value : [value]).map(text).filter(Boolean)

function toPatch(entry: Record<string, unknown>): Patch {
  const kb = texts(entry.kb)[0]
  const severity = text(entry.severity).toLowerCase()
  return {
    title: text(entry.title).slice(0, 300),
    kb_number: kb ? `KB${kb.replace(/^KB/i, '')}` : '',
    category: texts(entry.categories).flatMap((id) => CATEGORIES[id.toLowerCase()] ?? [])[0] ?? 'other',
    severity: SEVERITIES.includes(severity) ? (severity as Patch['severity']) : 'unspecified',
    size_mb: bytesToMb(Number(entry.size)),
    release_date: /^\d{4}-\d\d-\d\d$/.test(text(entry.date)) ? text(entry.date) : null,
    reboot_required: entry.reboot === true,
  }
}

/** Reads what SCAN_SCRIPT printed; null when it printed something else. */
export function parseWindowsUpdates(json: string): PatchReport | null {
  let value: unknown
  try {
    value = JSON.parse(json.replace(/^\uFEFF/, '').trim() || '[]')
  } catch {
    return null
  }
  // PowerShell prints a list of one as the one.
  const entries = (Array.isArray(value) ? value : [value]).filter(isRecord).filter(({ title }) => text(title))
  const name = ({ title, kb_number }: Patch): PatchName => ({ title, kb_number })
  return {
    missing: entries.filter(({ installed }) => installed !== true).map(toPatch),
    installed: entries
      .filter(({ installed }) => installed === true)
      .map((entry) => name(toPatch(entry)))
      .slice(0, MAX_PATCHES),
  }
}

const scan = async (): Promise<PatchReport | null> => {
  const json = await printed('powershell', encoded(SCAN_SCRIPT), 900)
  return json === null ? null : parseWindowsUpdates(json)
}

export const windowsUpdate: PatchSource = {
  scan,
  state: () => null,
  // A search asks Microsoft, or the company's own server.
  refresh: async () => ((await scan()) === null ? 1 : 0),
  install: (wanted) =>
    run({
      file: 'powershell',
      args: encoded(INSTALL_SCRIPT),
      env: { PARAM_PATCHES: JSON.stringify(wanted) },
    }),
}
