import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OWN_NAMES } from './own-resources'

/** The resources that were added to the tree, by name. */
export function addedResources(root: string): string[] {
  const folder = join(root, 'resources')
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json') && !file.endsWith('.schema.json'))
    .map((file) => (JSON.parse(readFileSync(join(folder, file), 'utf8')) as { name: string }).name)
    .filter((name) => !OWN_NAMES.has(name))
}

/**
 * Takes out of a copy of the tree what an administrator added to the original, so that a test may add a resource by
 * any name. `remove` is `resource remove` with `--drop`.
 */
export async function withoutAdded(root: string, remove: (name: string) => Promise<unknown>): Promise<void> {
  const isLeft = (name: string) => existsSync(join(root, `resources/${name}.json`))
  for (let left = addedResources(root); left.length > 0; ) {
    let refusal: unknown
    // A resource that others point at goes after them.
    for (const name of left) await remove(name).catch((error: unknown) => (refusal = error))
    const still = left.filter(isLeft)
    if (still.length === left.length) throw refusal
    left = still
  }
}
