/**
 * Every suite, one after the other, and one closing line `N passed, N failed` over all of them.
 *
 *   npm test                     all suites
 *   npm test -- unit db          only these
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureChromium } from './chromium'

interface Count {
  passed: number
  failed: number
}

const scratch = mkdtempSync(join(tmpdir(), 'konsol-test-'))

function run(command: string, args: string[], env: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

const bin = (name: string) => join('node_modules', '.bin', name)

/** A command that passes or fails as one. */
async function check(command: string, args: string[]): Promise<Count> {
  const code = await run(bin(command), args)
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

function report<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch {
    return undefined
  }
}

/** Never reports success for a runner that failed before it counted anything. */
function counted(code: number, passed: number, failed: number): Count {
  return { passed, failed: code !== 0 && failed === 0 ? 1 : failed }
}

async function vitest(project: string): Promise<Count> {
  const file = join(scratch, `${project}.json`)
  const code = await run(bin('vitest'), [
    'run',
    '--project',
    project,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
  ])
  const result = report<{ numPassedTests: number; numFailedTests: number; numTotalTests: number }>(file)
  if (!result?.numTotalTests) return { passed: 0, failed: 1 }
  return counted(code, result.numPassedTests, result.numFailedTests)
}

/** A port nobody holds now, so that a console left running elsewhere does not fail the browser tests. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

async function browser(): Promise<Count> {
  const file = join(scratch, 'e2e.json')
  const chromium = ensureChromium()
  if ((await run(bin('tsx'), ['scripts/build.ts'])) !== 0) return { passed: 0, failed: 1 }
  const code = await run(bin('playwright'), ['test', '--reporter=list,json'], {
    CHROMIUM_PATH: chromium,
    E2E_PORT: String(await freePort()),
    PLAYWRIGHT_JSON_OUTPUT_NAME: file,
  })
  const stats = report<{ stats: { expected: number; unexpected: number; flaky: number } }>(file)?.stats
  if (!stats) return { passed: 0, failed: 1 }
  return counted(code, stats.expected, stats.unexpected + stats.flaky)
}

const SUITES: Record<string, () => Promise<Count>> = {
  types: () => check('tsc', ['--noEmit', '-p', '.']),
  lint: () => check('biome', ['check', '.']),
  dead: () => check('knip', []),
  unit: () => vitest('unit'),
  contract: () => vitest('contract'),
  agent: () => vitest('agent'),
  db: () => vitest('db'),
  e2e: browser,
}

const wanted = process.argv.slice(2).filter((name) => name !== '--')
const unknown = wanted.filter((name) => !(name in SUITES))
if (unknown.length) {
  console.error(`No suite called ${unknown.join(', ')}. There are: ${Object.keys(SUITES).join(', ')}.`)
  process.exit(2)
}

const counts: [string, Count, number][] = []
for (const [name, suite] of Object.entries(SUITES)) {
  if (wanted.length && !wanted.includes(name)) continue
  console.log(`\n── ${name} ──`)
  const started = Date.now()
  const count = await suite().catch((error: unknown) => {
    console.error(error)
    return { passed: 0, failed: 1 }
  })
  counts.push([name, count, Math.round((Date.now() - started) / 1000)])
}
rmSync(scratch, { recursive: true, force: true })

console.log('')
for (const [name, { passed, failed }, seconds] of counts)
  console.log(`${name.padEnd(9)} ${passed} ok, ${failed} not ok (${seconds} s)`)
const sum = (key: keyof Count) => counts.reduce((total, [, count]) => total + count[key], 0)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
process.exit(sum('failed') ? 1 : 0)
