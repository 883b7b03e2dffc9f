import { type Copy, makeCopy } from './copy'
import { addPrinters } from './printers'
import { test as base } from './test'

interface Added {
  copy: Copy
  url: string
}

/**
 * The script that starts the console of such a tree; `plain` starts one to which nothing was added, and `suite` is the
 * suite's own console, as it ships.
 */
export type Home = 'dev' | 'start' | 'plain' | 'suite'
type Script = Exclude<Home, 'suite'>

/** Vite sends the browser each module by itself: a page costs several times as much. `db/dev.test.ts` has what is its own. */
const USUAL: Script = process.env.THOROUGH === '1' ? 'dev' : 'start'

interface Fixtures {
  /** A console of its own, of a tree to which the resource `printers` was added by the commands alone. */
  added: Added
  home: Home
  baseURL: string
}

/** Each starts with the first test of a worker that needs it. */
export const test = base.extend<Fixtures, { open: (script: Script) => Promise<Added> }>({
  open: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern
    async ({}, use) => {
      const copies: Copy[] = []
      const make = async (script: Script): Promise<Added> => {
        const copy = await makeCopy()
        copies.push(copy)
        if (script === 'plain') return { copy, url: await copy.start('start') }
        await addPrinters(copy)
        const [url] = await Promise.all([copy.start(script), copy.run('resource', 'check')])
        return { copy, url }
      }
      const made: Record<string, Promise<Added>> = {}
      await use((script) => {
        const known = made[script] ?? make(script)
        made[script] = known
        return known
      })
      for (const copy of copies) await copy.remove()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  added: [async ({ open }, use) => use(await open(USUAL)), { scope: 'test', timeout: 240_000 }],
  home: [USUAL, { option: true }],
  baseURL: [
    async ({ baseURL, open, home }, use) => use(home === 'suite' ? baseURL : (await open(home)).url),
    { scope: 'test', timeout: 240_000 },
  ],
})
