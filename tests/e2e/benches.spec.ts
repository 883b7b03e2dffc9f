import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { runBench } from '../support/bench'
import { patience } from '../support/patience'

test.describe.configure({ timeout: patience(240_000) })

test('the benchmark of weights weighs the sign-in page and the first list', async () => {
  const weight = await runBench('weight')
  expect(weight).toMatch(/\| sign-in page +\| 1\d\d\.\d kB/)
  expect(weight).toMatch(/\| this build \| \d+ ms \(1\.00\)/)
})

test('the benchmark of requests counts those of each step', async () => {
  const counted = await runBench('requests')
  expect(counted).toMatch(/\| sort +\| 1 +\|/)
  expect(counted).toMatch(/\| save +\| [1-9]\d* +\|/)
})

test('the benchmark of bulk edits finds in the database what the dialog says', async () => {
  const edited = await runBench('bulk')
  expect(edited).toMatch(/\| PGlite +\| .*8000 changed; held 8000 .*\| equal +\|/)
})

if (process.env.THOROUGH === '1') {
  test('the benchmark of painting times each list from the press on its menu entry', async () => {
    const painted = await runBench('paint')
    for (const path of ['/monitors', '/software-inventory', '/devices'])
      expect(painted).toMatch(new RegExp(`\\| ${path} +\\| \\d+ +\\| \\d+`))
    expect(painted).not.toContain('NaN')
  })

  test('the benchmark of scrolling goes through 10,000 loaded rows', async () => {
    const scrolled = await runBench('scroll')
    expect(scrolled).toMatch(/\| frame, p50 +\| \d+\.\d ms +\| \d+\.\d ms/)
    expect(scrolled).toContain('10,000 rows were loaded in')
  })

  test('the benchmark of exports saves every row of a loaded fleet', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'konsol-bench-'))
    try {
      const DATA_DIR = join(folder, 'fleet')
      await runBench('seed', ['100'], { DATA_DIR })
      const exported = await runBench('export', [], { DATA_DIR })
      expect(exported).toMatch(/\| CSV +\| 100 +\|/)
      expect(exported).toMatch(/\| Excel \(XLSX\) +\| 100 +\|/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('the benchmark of memory gets an answer to each of its requests', async () => {
    const memory = await runBench('memory')
    expect(memory).toMatch(/120 requests +\d+ MB/)
    expect(memory).not.toMatch(/^failed/m)
  })
}
