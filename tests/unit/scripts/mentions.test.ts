import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mentionsInCode, quoted } from '../../../scripts/resource/mentions'

it('code mentions a resource by its name, an address, and the key or file of its texts', () => {
  const root = mkdtempSync(join(tmpdir(), 'konsol-mentions-'))
  mkdirSync(join(root, 'src'))
  const lines = [
    `useList('boats')`,
    `navigate(\`/boats/1\`)`,
    `t('resources:boats.actions.sink')`,
    `boats: typeof import('../../locales/en/resources/boats.json')`,
    `t('resources:boats_of_others.one')`,
    `import('../../locales/en/resources/lifeboats.json')`,
    `t('rowing:boats.one')`,
  ]
  writeFileSync(join(root, 'src/page.ts'), lines.join('\n'))
  expect(mentionsInCode(root, quoted('boats', '/boats'))).toEqual([
    'src/page.ts:1',
    'src/page.ts:2',
    'src/page.ts:3',
    'src/page.ts:4',
  ])
  rmSync(root, { recursive: true })
})
