import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { definitionValidator } from './scripts/support/definition-validator.ts'
import { definitions } from './scripts/support/definitions.ts'
import { exampleKinds } from './tests/support/example-kinds.ts'
import { patience } from './tests/support/patience.ts'

/** What takes longest by far, and so goes first: begun last, one core would wait for the other. */
const LONGEST = [
  'resources/resource-commands',
  'permissions/access',
  'platform/start',
  'permissions/differential',
  // By then the other rows of suites have ended: a benchmark that shares its core with three of them is out of time.
  'platform/benches',
  'resources/resource-features',
  'resources/documented-features',
  'platform/schema',
  'resources/schema-follow',
  'mail/imap',
  'resources/resource-rename',
  'live/live',
  'live/live-attacks',
  'tickets/business-time',
].map((name) => `/tests/db/${name}.test.ts`)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex((end) => moduleId.endsWith(end))
      return place < 0 ? LONGEST.length : place
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

const UNIT = fileURLToPath(new URL('./tests/unit/', import.meta.url))
const TESTS = readdirSync(UNIT, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.test\.tsx?$/.test(name),
)
const contains = (text: string) => (name: string) => readFileSync(UNIT + name, 'utf8').includes(text)
/** A mock stays in the modules that imported it, so these files are isolated. */
const MOCKED = TESTS.filter(contains('vi.mock('))
/** Files that mount a component share one document. */
const MOUNTED = TESTS.filter(contains('@vitest-environment happy-dom')).filter(
  (name) => !MOCKED.includes(name),
)
const paths = (names: readonly string[]) => names.map((name) => `tests/unit/${name}`)

const STYLES = 'tests/support/plain-styles.ts'
const SETUP: Record<string, string[]> = {
  components: [STYLES],
  mocked: ['tests/support/fresh-modules.ts', STYLES],
}
// Its one server is asked little: its WASM is compiled once and quickly, and not a second time for speed.
const EXEC_ARGV: Record<string, string[]> = { agent: ['--liftoff-only'] }
const INCLUDE: Record<string, string[]> = { mocked: paths(MOCKED), components: paths(MOUNTED) }

// Its own file, not vite.config.ts: the tests never build the console or start its server by loading a config.
export default defineConfig({
  plugins: [definitions(), definitionValidator(), exampleKinds()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  test: {
    testTimeout: patience(120_000),
    hookTimeout: patience(240_000),
    expect: { poll: { timeout: patience(30_000) } },
    // The database tests each hold a Postgres in WASM, and CI has two cores.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: ['unit', 'components', 'mocked', 'contract', 'agent', 'db'].map((name) => ({
      extends: true,
      test: {
        name,
        include: INCLUDE[name] ?? [`tests/${name}/**/*.test.{ts,tsx}`],
        exclude: name === 'unit' ? paths([...MOCKED, ...MOUNTED]) : [],
        // Node would give it a React Router of its own, beside the one that Vite gives the tests.
        server: { deps: { inline: ['@refinedev/react-router'] } },
        setupFiles: SETUP[name] ?? [],
        // The files share a process and its modules, Postgres' compiled WASM above all.
        isolate: false,
        execArgv: EXEC_ARGV[name] ?? [],
        pool: 'forks',
      },
    })),
  },
})
