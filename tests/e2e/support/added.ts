import { patience } from '../../support/patience'
import { type Copy, makeCopy } from './copy'
import { addPrinters } from './printers'
import { test as base } from './test'

interface Added {
  copy: Copy
  url: string
}

/**
 * A console of a copy of the tree: `plain` as `npm start` serves it, `dev` as `npm run dev` does, `printers` with the
 * resource `printers`, added by the commands alone. `suite` is the suite's own console, as it ships.
 */
export type Home = 'plain' | 'dev' | 'printers' | 'suite'
type Own = Exclude<Home, 'suite'>

interface Fixtures {
  home: Home
  baseURL: string
}

/** Each starts with the first test of a worker that needs it. */
export const test = base.extend<Fixtures, { open: (home: Own) => Promise<Added> }>({
  open: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern
    async ({}, use) => {
      const copies: Copy[] = []
      const make = async (home: Own): Promise<Added> => {
        const copy = await makeCopy()
        copies.push(copy)
        if (home !== 'printers') return { copy, url: await copy.start(home === 'dev' ? 'dev' : 'start') }
        await addPrinters(copy)
        const [url] = await Promise.all([copy.start('start'), copy.run('resource', 'check')])
        return { copy, url }
      }
      const made: Partial<Record<Own, Promise<Added>>> = {}
      await use((home) => {
        const known = made[home] ?? make(home)
        made[home] = known
        return known
      })
      for (const copy of copies) await copy.remove()
    },
    { scope: 'worker', timeout: patience(60_000) },
  ],
  home: ['suite', { option: true }],
  baseURL: [
    async ({ baseURL, open, home }, use) => use(home === 'suite' ? baseURL : (await open(home)).url),
    { scope: 'test', timeout: patience(240_000) },
  ],
})
