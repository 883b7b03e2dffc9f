import { type Copy, makeCopy } from './copy'
import { addPrinters } from './printers'
import { test as base } from './test'

/** A console of its own to a worker, of a tree to which the resource `printers` was added by the commands alone. */
export const test = base.extend<object, { added: { copy: Copy; url: string } }>({
  added: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern
    async ({}, use) => {
      const copy = await makeCopy()
      try {
        await addPrinters(copy)
        const [url] = await Promise.all([copy.start('dev'), copy.run('resource', 'check')])
        await use({ copy, url })
      } finally {
        await copy.remove()
      }
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  baseURL: async ({ added }, use) => {
    await use(added.url)
  },
})
