import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { checkResources } from '../../scripts/resource/check'
import { generatedFiles } from '../../scripts/resource/generate'
import { migratedCatalog } from '../../scripts/resource/scratch'
import { validatorModule } from '../../scripts/resource/validator'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('definitions', () => {
  it('agree with schema, database, policies, pages and words', async () => {
    const problems = checkResources(root, await migratedCatalog(root))
    expect(problems.filter(({ isWarning }) => !isWarning)).toEqual([])
  })

  it('have schema and types as `npm run resource types` writes them', async () => {
    for (const { path, text } of await generatedFiles(root)) {
      const onDisk = readFileSync(join(root, path), 'utf8')
      // The schema is JSON that the formatter lays out anew.
      const same = path.endsWith('.json')
        ? JSON.stringify(JSON.parse(onDisk)) === JSON.stringify(JSON.parse(text))
        : onDisk === text
      expect(same, `${path} is stale: run \`npm run resource types\``).toBe(true)
    }
  })

  it('are validated by code that evaluates no text', () => {
    expect(validatorModule(root)).not.toMatch(/\bnew Function\b|\beval\(|\brequire\(/)
  })
})
