import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const BUILDERS = ['vite', 'tsx', '@vitejs/plugin-react', 'json-schema-to-typescript', '@electric-sql/pglite']

/** Every package that a file of ours, and what it imports of ours, asks for. Types are gone at run time. */
function packagesOf(file: string, seen = new Set<string>(), packages = new Set<string>()): Set<string> {
  if (seen.has(file)) return packages
  seen.add(file)
  for (const [, clause = '', name = ''] of readFileSync(file, 'utf8').matchAll(
    /^(?:import|export) (?:([^'"]*?) from )?'([^']+)'/gm,
  )) {
    if (clause.startsWith('type ')) continue
    const isOurs = name.startsWith('.') || name.startsWith('@/')
    // The build compiles the validator; what it needs at run time is inside.
    if (!isOurs) packages.add(name)
    else {
      const path = name.startsWith('@/') ? resolve(ROOT, 'src', name.slice(2)) : resolve(dirname(file), name)
      packagesOf([`${path}.ts`, `${path}.tsx`].find((found) => existsSync(found)) ?? path, seen, packages)
    }
  }
  return packages
}

it('what runs for months loads no bundler and no TypeScript, and no Postgres into its own thread', () => {
  const packages = packagesOf(resolve(ROOT, 'scripts/serve.ts'))
  expect([...packages]).toContain('@supabase/lite')
  expect([...packages].filter((name) => BUILDERS.includes(name))).toEqual([])
})
