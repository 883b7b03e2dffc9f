export type InstallPlatform = 'linux' | 'macos' | 'windows' | 'foreground'

export const INSTALL_PLATFORMS: readonly InstallPlatform[] = ['linux', 'macos', 'windows', 'foreground']

/**
 * The lines to paste on a device. `origin` serves the download, `server` answers the agent: the same on the embedded
 * backend; a hosted one has its own address and needs its publishable key.
 *
 * The token is only ever an argument of what the shell has built in (echo, a string of PowerShell) and travels by
 * standard input: the command line of a program can be read by every user of the device.
 */
export function installLine(
  platform: InstallPlatform,
  { origin, server, key, token }: { origin: string; server: string; key: string; token: string },
): string {
  const isHosted = server !== origin
  const address = `--url ${server}${isHosted ? ` --key ${key}` : ''}`
  switch (platform) {
    case 'linux':
    case 'macos':
      // The script contains the address it was downloaded from.
      return `{ echo KONSOL_TOKEN=${token}; curl -fsSL ${origin}/agent/install.sh; } | sh${isHosted ? ` -s -- ${address}` : ''}`
    case 'windows':
      return `'${token}' | & ([scriptblock]::Create((irm ${origin}/agent/install.ps1)))${isHosted ? ` -Url ${server} -Key ${key}` : ''}`
    case 'foreground':
      return `curl -fsSLo agent.mjs ${origin}/agent/agent.mjs && echo ${token} | node agent.mjs ${address} --data-dir ./konsol-agent --token-file -`
  }
}

/** The line that takes the agent off a device, which stays in the console; null where nothing was installed. */
export function uninstallLine(platform: InstallPlatform, origin: string): string | null {
  switch (platform) {
    case 'linux':
    case 'macos':
      return `curl -fsSL ${origin}/agent/install.sh | sh -s -- --uninstall`
    case 'windows':
      return `& ([scriptblock]::Create((irm ${origin}/agent/install.ps1))) -Uninstall`
    case 'foreground':
      return null
  }
}
