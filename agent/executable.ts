import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const LAUNCHER = fileURLToPath(new URL('./launch.cjs', import.meta.url))
/** The marker that Node looks for in its own binary: nodejs.org/api/single-executable-applications.html. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'linux',
  darwin: 'macos',
  win32: 'windows',
}
const NAME = /^konsol-agent-[a-z0-9]+-[a-z0-9]+(\.exe)?$/

/** As the installers ask for it: `konsol-agent-linux-x64`. */
export const executableName = (platform = process.platform, arch: string = process.arch): string =>
  `konsol-agent-${SYSTEMS[platform] ?? platform}-${arch}${platform === 'win32' ? '.exe' : ''}`

/** @throws when the packages of the project are older than its list of them */
function injector(): string {
  try {
    return createRequire(import.meta.url).resolve('postject/dist/cli.js')
  } catch {
    throw new Error('postject is not installed. Run npm ci.')
  }
}

/** The checksums of all executables of a folder, those built on other systems and copied here included. */
function writeChecksums(folder: string): void {
  const lines = readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}`,
    )
  writeFileSync(join(folder, 'programs.sha256'), lines.map((line) => `${line}\n`).join(''))
}

/**
 * Puts the bundled agent of a folder, and the Node that runs this, into one executable for this system.
 * @returns its path
 */
export function buildExecutable(folder: string): string {
  const postject = injector()
  const draft = mkdtempSync(join(tmpdir(), 'konsol-executable-'))
  try {
    const blob = join(draft, 'blob')
    const config = join(draft, 'sea.json')
    writeFileSync(
      config,
      JSON.stringify({
        main: LAUNCHER,
        output: blob,
        disableExperimentalSEAWarning: true,
        assets: { 'agent.mjs': join(folder, 'agent.mjs') },
      }),
    )
    execFileSync(process.execPath, ['--experimental-sea-config', config], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const program = join(draft, 'program')
    copyFileSync(process.execPath, program)
    chmodSync(program, 0o755)
    const isMac = process.platform === 'darwin'
    if (isMac) execFileSync('codesign', ['--remove-signature', program])
    // It warns of sections that it does not know, on both streams.
    const told = spawnSync(
      process.execPath,
      [
        ...[postject, program, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE],
        ...(isMac ? ['--macho-segment-name', 'NODE_SEA'] : []),
      ],
      { encoding: 'utf8' },
    )
    if (told.status !== 0) throw new Error(`postject failed: ${told.stderr || told.stdout}`)
    if (isMac) execFileSync('codesign', ['--sign', '-', program])
    const target = join(folder, executableName())
    // Not in place: it may be running.
    rmSync(target, { force: true })
    copyFileSync(program, target)
    chmodSync(target, 0o755)
    writeChecksums(folder)
    return target
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}
