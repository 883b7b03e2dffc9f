export type InstallPlatform = 'linux' | 'macos' | 'windows' | 'foreground'

export const INSTALL_PLATFORMS: readonly InstallPlatform[] = ['linux', 'macos', 'windows', 'foreground']

/**
 * The lines to paste on a device. `origin` serves the download, `server` answers the agent: one and the same on the
 * embedded backend; a hosted one stands elsewhere and wants its publishable key.
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
      // The script knows the address it was fetched from.
      return `curl -fsSL ${origin}/agent/install.sh | sh -s --${isHosted ? ` ${address}` : ''} --token ${token}`
    case 'windows':
      return `curl.exe -fsSLo agent.mjs ${origin}/agent/agent.mjs; node agent.mjs ${address} --token ${token} --data-dir "$env:ProgramData\\Konsol"`
    case 'foreground':
      return `curl -fsSLo agent.mjs ${origin}/agent/agent.mjs && node agent.mjs ${address} --token ${token} --data-dir ./konsol-agent`
  }
}
