import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { definitionPaths } from './scripts/support/definition-paths.ts'
import { definitionValidator } from './scripts/support/definition-validator.ts'
import { exampleKinds } from './tests/support/example-kinds.ts'

/** What takes longest by far, and so goes first: begun last, one core would wait for the other. */
const LONGEST = ['start', 'import-whole', 'resource-commands', 'differential', 'live-attacks', 'live'].map(
  (name) => `/tests/db/${name}.test.ts`,
)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex((end) => moduleId.endsWith(end))
      return place < 0 ? LONGEST.length : place
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

/** Unit tests that mount a component or mock a module: each file needs modules of its own. */
const UNIT = fileURLToPath(new URL('./tests/unit/', import.meta.url))
const COMPONENTS = readdirSync(UNIT, { recursive: true, encoding: 'utf8' })
  .filter(
    (name) =>
      name.endsWith('.test.tsx') ||
      (name.endsWith('.test.ts') && readFileSync(UNIT + name, 'utf8').includes('vi.mock(')),
  )
  .map((name) => `tests/unit/${name}`)

// Its own file, not vite.config.ts: the tests never build the console or start its server by loading a config.
export default defineConfig({
  plugins: [definitionPaths(), definitionValidator(), exampleKinds()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  test: {
    testTimeout: 120_000,
    hookTimeout: 240_000,
    // The database tests each hold a Postgres in WASM, and CI has two cores.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: ['unit', 'components', 'contract', 'agent', 'db'].map((name) => ({
      extends: true,
      test: {
        name,
        include: name === 'components' ? COMPONENTS : [`tests/${name}/**/*.test.{ts,tsx}`],
        exclude: name === 'unit' ? COMPONENTS : [],
        // Node would give it a React Router of its own, beside the one that Vite gives the tests.
        server: { deps: { inline: ['@refinedev/react-router'] } },
        // The other files share a process and its modules, Postgres' compiled WASM above all.
        isolate: name === 'components' || name === 'agent',
        pool: name === 'components' ? 'threads' : 'forks',
      },
    })),
  },
})
