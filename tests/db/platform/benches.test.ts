import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runBench } from '../../support/bench'
import { patience } from '../../support/patience'
import { whyNoPostgres } from '../../support/postgres'

const folder = mkdtempSync(join(tmpdir(), 'konsol-bench-'))
// PostgreSQL runs as another user than root.
chmodSync(folder, 0o755)
const DATA_DIR = join(folder, 'fleet')
const isThorough = process.env.THOROUGH === '1'
const hasPostgres = isThorough && !whyNoPostgres()
const databases = hasPostgres ? ['PGlite', 'PostgreSQL'] : ['PGlite']

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const bench = (name: string, ...args: string[]) => runBench(name, args, { DATA_DIR })

describe('a benchmark of the server', { timeout: patience(240_000) }, () => {
  it('loads a fleet into each database and measures every list, read and check-in there', async () => {
    const loaded = await bench('seed', '100', ...(hasPostgres ? ['--postgres'] : []))
    for (const database of databases) expect(loaded).toContain(`${database}: 100 devices in`)

    const measured = await bench('run')
    for (const database of databases) expect(measured).toContain(`${database}: p50 / p95 in milliseconds`)
    expect(measured).toMatch(/\| dashboard · all \(100\) +\| +\d/)
    expect(measured).toMatch(/\| 16 clients +\| +[1-9]\d*\/s/)
    expect(measured).toContain('Correctness: every list, count and search right')
    expect(measured).not.toMatch(/failed: |WRONG|NaN/)
  })

  it('measures the service desk: recount, lists of each role, ten people in a ticket', async () => {
    const recount = await bench('sla', 'pglite')
    expect(recount).toMatch(/\| PGlite +\| 200 +\| \d+\.\d +\| \d/)
    const desk = await bench('desk', 'pglite')
    expect(desk).toMatch(/\| tickets: count +\| .*\(200\) +\| .*\(200\) +\| .*\(50\)/)
    expect(desk).toMatch(/\| figures: \d+ in one request +\| \d/)
    const talk = await bench('talk', 'pglite')
    expect(talk).toMatch(/\| PGlite +\| 3 × 2 +\| .*\| 12 of 12/)
    expect(recount + desk + talk).not.toContain('NaN')
  })

  if (isThorough) {
    it('measures the commands that an admin waits for, in a copy of the tree', async () => {
      const commands = await bench('commands')
      for (const command of ['resource check', 'resource new', 'resource migrate', 'policies'])
        expect(commands).toMatch(new RegExp(`\\| ${command} +\\| \\d+\\.\\d +\\|`))
    })

    it('measures what a check-in costs in a fleet, and with more monitors', async () => {
      const fleets = await bench('agents', '100')
      for (const database of databases)
        expect(fleets).toMatch(new RegExp(`\\| 100 +\\| ${database} +\\| \\d.*\\| [1-9]\\d*/s`))

      const costs = await bench('run', 'check-ins', '--devices', '100', '--monitors', '2')
      for (const database of databases) expect(costs).toContain(`| ${database}, 100 devices`)
      expect(costs).toMatch(/\| 2 monitors +\| \d+\.\d+ ms +\| [1-9]\d*\/s/)
      expect(fleets + costs).not.toContain('NaN')
    })

    it('measures how long the health check takes beside large requests', async () => {
      const health = await bench('healthz', 'export', 'device')
      expect(health).toMatch(/\| a page of an export, 1,000 rows +\| \d+\.\d/)
      expect(health).toMatch(/\| reports of a device, 3 MB +\| .* × 200 +\|/)
      expect(health).toMatch(/Peak memory of the server: \d+ kB/)
    })
  }
})
