import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const lock = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package-lock.json'), 'utf8')) as {
  packages: Record<string, unknown>
}

/** Two copies are loaded with the first list, and each keeps styles of its own. */
it('antd and its helpers share one copy of the style engine', () => {
  const copies = Object.keys(lock.packages).filter((path) => path.endsWith('/@ant-design/cssinjs'))
  // Refine's page layout, which the console does not import, brings an older one for itself.
  expect(copies.filter((path) => !path.includes('/pro-'))).toEqual(['node_modules/@ant-design/cssinjs'])
})
