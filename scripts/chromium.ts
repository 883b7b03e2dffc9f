import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'

/** The headless shell first: the same engine without a window's parts, it takes about a fifth less CPU. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]

function onPath(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file))
}

function playwrightsOwn(): string | undefined {
  const { chromium } = createRequire(import.meta.url)('@playwright/test') as {
    chromium: { executablePath(): string }
  }
  const file = chromium.executablePath()
  return existsSync(file) ? file : undefined
}

/** The path of a Chromium on this machine: CHROMIUM_PATH, then PATH, then Playwright's own download. */
export function findChromium(): string | undefined {
  const named = process.env.CHROMIUM_PATH
  if (named && existsSync(named)) return named
  return NAMES.map(onPath).find(Boolean) ?? playwrightsOwn()
}

/**
 * Finds a Chromium or installs one: Debian's package where apt and root are there, Playwright's elsewhere.
 * @throws Error when neither way brings one.
 */
export function ensureChromium(): string {
  const found = findChromium()
  if (found) return found
  const run = (command: string, args: string[]) => execFileSync(command, args, { stdio: 'inherit' })
  if (onPath('apt-get') && process.getuid?.() === 0) {
    console.log('No Chromium found: installing Debian’s package.')
    run('apt-get', ['update', '-qq'])
    const install = (name: string) =>
      run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name, 'fonts-dejavu-core'])
    try {
      install('chromium-headless-shell')
    } catch {
      // Older releases have the whole browser only.
      install('chromium')
    }
  } else {
    console.log('No Chromium found: installing Playwright’s.')
    run('npx', ['playwright', 'install', 'chromium'])
  }
  const installed = findChromium()
  if (!installed) throw new Error('No Chromium could be installed. Set CHROMIUM_PATH to one.')
  return installed
}
