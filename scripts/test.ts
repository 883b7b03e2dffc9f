/**
 * Every suite, and one closing line `N passed, N failed` over all of them.
 *
 *   npm test                     all suites
 *   npm test -- unit db          only these
 *
 * The suites are in rows that run side by side, so that both cores are busy to the end; within a row one suite follows
 * the other, and prints its output when it has ended, so that nothing mixes. The browser tests follow alone.
 */
import { spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { measurePace, patience } from '../tests/support/patience'
import { ensureChromium } from './chromium'

interface Count {
  passed: number
  failed: number
  skipped?: number
  /** The tests that failed by file and name, with the first line of why. */
  failures?: string[]
}

/** Runs a command of the suite; its output goes where the suite's does. */
type Run = (command: string, args: string[], env?: Record<string, string>) => Promise<number>
type Suite = (run: Run) => Promise<Count>

const FAILED: Count = { passed: 0, failed: 1 }
const GIGABYTE = 2 ** 30

/** A folder in memory if there is enough of it: the databases of the tests are some hundred thousand small files. */
function scratchFolder(): string {
  const memory = '/dev/shm'
  const free = existsSync(memory) ? statfsSync(memory) : { bavail: 0, bsize: 0 }
  const isRoomy = free.bavail * free.bsize > 8 * GIGABYTE && process.availableMemory() > 12 * GIGABYTE
  const folder = mkdtempSync(join(isRoomy ? memory : tmpdir(), 'konsol-test-'))
  // PostgreSQL runs as another user than root.
  chmodSync(folder, 0o755)
  return folder
}

const scratch = scratchFolder()
process.env.TMPDIR = scratch
const bin = (name: string) => join('node_modules', '.bin', name)

const started = Date.now()
/**
 * A runner that takes longer is stopped and has failed: better than a CI machine that is shut down without a
 * message.
 */
let deadline = started

/** Limits follow the pace of the machine, which a neighbor may slow down while the tests run: they only grow. */
async function followPace(): Promise<void> {
  const pace = Math.max(Number(process.env.TEST_PACE ?? 1), await measurePace())
  process.env.TEST_PACE = String(pace)
  if (pace > 1.5)
    console.log(`This machine is ${pace.toFixed(1)} times slower than usual: limits are longer.`)
  deadline = started + patience(Number(process.env.TEST_MINUTES ?? 45) * 60_000)
}

const running = new Set<() => void>()
function stopAll(): void {
  deadline = Date.now()
  for (const stop of running) stop()
}

function runner(write: (text: string) => void, isAlone: boolean): Run {
  return (command, args, env = {}) =>
    new Promise((resolve, reject) => {
      // A separate process group, so that browsers and servers end with the runner that started them.
      const child = spawn(command, args, {
        stdio: isAlone ? 'inherit' : ['ignore', 'pipe', 'pipe'],
        detached: true,
        env: { ...process.env, ...env },
      })
      const kill = (signal: NodeJS.Signals) => {
        try {
          if (child.pid) process.kill(-child.pid, signal)
        } catch {
          // It has ended already.
        }
      }
      const stop = () => {
        kill('SIGTERM')
        setTimeout(() => kill('SIGKILL'), 10_000).unref()
      }
      const timer = setTimeout(
        () => {
          write(`\n${command}: out of time, ended.\n`)
          stop()
        },
        Math.max(0, deadline - Date.now()),
      )
      running.add(stop)
      const finish = () => {
        clearTimeout(timer)
        running.delete(stop)
      }
      child.stdout?.on('data', (chunk) => write(String(chunk)))
      child.stderr?.on('data', (chunk) => write(String(chunk)))
      child.once('error', (error) => {
        finish()
        reject(error)
      })
      child.once('close', (code) => {
        finish()
        // Ended by a signal, it has no code.
        resolve(code ?? 1)
      })
    })
}

/** A command that passes or fails as one. */
const check =
  (command: string, args: string[]): Suite =>
  async (run) =>
    (await run(bin(command), args)) === 0 ? { passed: 1, failed: 0 } : FAILED

function report<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch {
    return undefined
  }
}

/** Never reports success for a runner that failed before it counted anything. */
function counted(
  code: number,
  { passed, failed, skipped }: { passed: number; failed: number; skipped: number },
  failures: string[],
): Count {
  return { passed, failed: code !== 0 && failed === 0 ? 1 : failed, skipped, failures }
}

/** The part of a message that fits a line, without colors. Vitest reports a passed limit by the name of its own marker. */
const firstLine = (message = '') =>
  stripVTControlCharacters(message)
    .trim()
    .split('\n')[0]
    ?.slice(0, 200)
    .replace('Error: STACK_TRACE_ERROR', 'the limit passed') ?? ''

interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTotalTests: number
  testResults: {
    name: string
    status: string
    message?: string
    assertionResults: { status: string; fullName: string; failureMessages?: string[] }[]
  }[]
}

/** A file that failed outside its tests, in a hook or while it was loaded, is named too. */
const vitestFailures = ({ testResults }: VitestReport): string[] =>
  testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative('.', name)
    const failed = assertionResults.filter((test) => test.status === 'failed')
    if (failed.length)
      return failed.map(
        ({ fullName, failureMessages }) => `${file} › ${fullName}: ${firstLine(failureMessages?.[0])}`,
      )
    return status === 'failed' ? [`${file}: ${firstLine(message)}`] : []
  })

interface PlaywrightSuite {
  suites?: PlaywrightSuite[]
  specs?: {
    file: string
    line: number
    title: string
    ok: boolean
    tests: { results: { error?: { message?: string } }[] }[]
  }[]
}

const playwrightFailures = ({ suites = [], specs = [] }: PlaywrightSuite): string[] => [
  ...specs
    .filter(({ ok }) => !ok)
    .map(
      ({ file, line, title, tests }) =>
        `${file}:${line} › ${title}: ${firstLine(tests[0]?.results.find(({ error }) => error)?.error?.message)}`,
    ),
  ...suites.flatMap(playwrightFailures),
]

const vitest =
  (...projects: string[]): Suite =>
  async (run) => {
    const file = join(scratch, `${projects[0]}.json`)
    const code = await run(bin('vitest'), [
      'run',
      ...projects.flatMap((project) => ['--project', project]),
      `--maxWorkers=${wanted.length === 1 || projects[0] === 'db' ? 2 : 1}`,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${file}`,
    ])
    const result = report<VitestReport>(file)
    if (!result?.numTotalTests) return FAILED
    return counted(
      code,
      { passed: result.numPassedTests, failed: result.numFailedTests, skipped: result.numPendingTests },
      vitestFailures(result),
    )
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

/** A browser waits for a third of its time: two leave a core of CI's two idle for as long. */
const BROWSERS = 3

const demo = join(scratch, 'demo')
let isBuilt = false
/** The console that the browser tests open, and the demo data that each of its servers begins with a copy of. */
const build: Suite = async (run) => {
  const load = ['--liftoff-only', '--import', 'tsx', 'tests/support/demo-data.ts']
  isBuilt =
    (await run(bin('tsx'), ['scripts/build.ts'])) === 0 &&
    (await run(process.execPath, load, { DATA_DIR: demo })) === 0
  return isBuilt ? { passed: 1, failed: 0 } : FAILED
}

const browser: Suite = async (run) => {
  const file = join(scratch, 'e2e.json')
  const chromium = ensureChromium()
  if (!isBuilt && (await build(run)).failed) return FAILED
  const ports = await Promise.all(Array.from({ length: BROWSERS }, freePort))
  const data = join(scratch, 'e2e')
  for (const port of ports) cpSync(demo, join(data, String(port)), { recursive: true })
  // Ended by itself, it still says what failed and where.
  const left = Math.max(1000, deadline - Date.now() - 20_000)
  const code = await run(bin('playwright'), ['test', '--reporter=list,json', `--global-timeout=${left}`], {
    CHROMIUM_PATH: chromium,
    E2E_PORTS: ports.join(','),
    E2E_DATA_DIR: data,
    E2E_DEMO_DATA: demo,
    PLAYWRIGHT_JSON_OUTPUT_NAME: file,
  })
  const result = report<
    PlaywrightSuite & { stats: { expected: number; unexpected: number; flaky: number; skipped: number } }
  >(file)
  if (!result?.stats) return FAILED
  const { expected, unexpected, flaky, skipped } = result.stats
  return counted(code, { passed: expected, failed: unexpected + flaky, skipped }, playwrightFailures(result))
}

/** The agent's suite mainly waits. The longest suite, the database's, takes the idle core. */
const ROWS: Record<string, Suite>[] = [
  { db: vitest('db') },
  {
    // The threads of tsc take a third more of the cores, which all are busy.
    types: check('tsc', ['--noEmit', '-p', '.', '--singleThreaded']),
    contract: vitest('contract'),
    unit: vitest('unit', 'components', 'mocked'),
    build,
  },
  { agent: vitest('agent'), lint: check('biome', ['check', '.']), dead: check('knip', []) },
]
/** Browsers keep both cores busy by themselves. */
const LAST: Record<string, Suite> = { e2e: browser }

const names = [...ROWS, LAST].flatMap(Object.keys)
const wanted = process.argv.slice(2).filter((name) => name !== '--')
const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length) {
  console.error(`No suite called ${unknown.join(', ')}. There are: ${names.join(', ')}.`)
  process.exit(2)
}

const counts: { name: string; count: Count; seconds: number }[] = []

async function runRow(suites: Record<string, Suite>, isAlone = wanted.length === 1): Promise<void> {
  for (const [name, suite] of Object.entries(suites)) {
    if (wanted.length && !wanted.includes(name)) continue
    const output: string[] = []
    const started = Date.now()
    const write = (text: string) => void (isAlone ? process.stdout.write(text) : output.push(text))
    if (!isAlone) console.log(`${name} …`)
    const count = await suite(runner(write, isAlone)).catch((error: unknown) => {
      write(`${error instanceof Error ? error.stack : error}\n`)
      return FAILED
    })
    if (!isAlone) process.stdout.write(`\n── ${name} ──\n${output.join('')}`)
    counts.push({ name, count, seconds: Math.round((Date.now() - started) / 1000) })
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    stopAll()
    process.exitCode = 1
  })

await followPace()
await Promise.all(ROWS.map((suites) => runRow(suites)))
if (deadline > Date.now()) await followPace()
await runRow(LAST, true)
rmSync(scratch, { recursive: true, force: true })

const failures = counts.flatMap(({ count }) => count.failures ?? [])
console.log(failures.length ? `\nFailed:\n${failures.map((line) => `  ${line}`).join('\n')}\n` : '')
for (const { name, count, seconds } of counts)
  console.log(
    `${name.padEnd(9)} ${count.passed} ok, ${count.failed} not ok${count.skipped ? `, ${count.skipped} SKIPPED` : ''} (${seconds} s)`,
  )
const sum = (key: 'passed' | 'failed') => counts.reduce((total, { count }) => total + count[key], 0)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
process.exit(sum('failed') ? 1 : 0)
