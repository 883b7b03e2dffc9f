import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { BRIEF } from './program'

const ROOT = resolve(import.meta.dirname, '../..')
const isThorough = process.env.THOROUGH === '1'

/**
 * Runs a benchmark at its smallest size and gives all that it printed. PostgreSQL, which shares the benchmark's code with
 * PGlite, has its turn with THOROUGH=1.
 * @throws Error with the output when it does not exit with 0.
 */
export function runBench(name: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  return new Promise<string>((done, fail) => {
    const child = spawn(
      process.execPath,
      [...BRIEF, '--import', 'tsx', join(ROOT, `tests/bench/${name}.ts`), ...args],
      {
        cwd: ROOT,
        env: { ...process.env, BENCH_TINY: '1', WITHOUT_POSTGRES: isThorough ? '' : '1', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    const output: string[] = []
    child.stdout.on('data', (chunk) => output.push(String(chunk)))
    child.stderr.on('data', (chunk) => output.push(String(chunk)))
    child.once('error', fail)
    child.once('close', (code) => {
      const text = output.join('')
      if (code === 0) done(text)
      else fail(new Error(`The benchmark "${name}" exited with ${code}:\n${text.slice(-4000)}`))
    })
  })
}
