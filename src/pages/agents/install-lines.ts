export type InstallPlatform = 'linux' | 'macos' | 'windows' | 'foreground'

export const INSTALL_PLATFORMS: readonly InstallPlatform[] = ['linux', 'macos', 'windows', 'foreground']

/**
 * The lines to paste on a device. `origin` serves the download, `server` answers the agent: one and the same on the
 * embedded backend, two on a hosted one.
 */
export function installLine(
  platform: InstallPlatform,
  { origin, server, token }: { origin: string; server: string; token: string },
): string {
  const arguments_ = `--url ${server} --token ${token}`
  switch (platform) {
    case 'linux':
      return `curl -fsSL ${origin}/agent/install.sh | sh -s -- --token ${token}`
    case 'macos':
      return `curl -fsSLo agent.mjs ${origin}/agent/agent.mjs && node agent.mjs ${arguments_} --data-dir "$HOME/.konsol-agent"`
    case 'windows':
      return `curl.exe -fsSLo agent.mjs ${origin}/agent/agent.mjs; node agent.mjs ${arguments_} --data-dir "$env:ProgramData\\Konsol"`
    case 'foreground':
      return `node agent.mjs ${arguments_} --data-dir ./konsol-agent`
  }
}
