import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'
import type { Definition } from '@/resource/language/definition.generated'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

type Matching = typeof import('@/resource/request/filter/matching-filter')
type FromUrl = typeof import('@/resource/request/filter/from-url')
type Registry = typeof import('@/resource/language/registry')
type Columns = typeof import('@/resource/request/query/columns')
type State = typeof import('@/resource/request/query/list-state')
type Requests = typeof import('@/resource/request/query/list-request')
type Rows = typeof import('@/data/rows')
type Provider = typeof import('@/refine/data-provider')

export interface Engine
  extends Pick<FromUrl, 'filterNames' | 'filterField' | 'filterStyle'>,
    Pick<Registry, 'findDefinition'>,
    Pick<Columns, 'listColumns' | 'listFields'>,
    Pick<State, 'parseListState'>,
    Pick<Requests, 'listRequest' | 'writeCursor' | 'hasSearch'>,
    Pick<Rows, 'readPage' | 'countRows'>,
    Pick<Matching, 'matchingFilter'>,
    Pick<Provider, 'rowPage'> {
  definitions: Definition[]
  stop: () => Promise<void>
}

/** The console's own code for lists, so that what is measured is what it asks. Vite finds its files, as in the build. */
export async function loadEngine(): Promise<Engine> {
  const vite = await createServer({
    root: ROOT,
    configFile: `${ROOT}/vite.config.ts`,
    appType: 'custom',
    logLevel: 'error',
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  })
  const load = async <T>(path: string) => (await vite.ssrLoadModule(`/src/${path}`)) as T
  const registry = await load<Registry>('resource/language/registry.ts')
  return {
    ...(await load<FromUrl>('resource/request/filter/from-url.ts')),
    ...(await load<Matching>('resource/request/filter/matching-filter.ts')),
    ...(await load<Columns>('resource/request/query/columns.ts')),
    ...(await load<State>('resource/request/query/list-state.ts')),
    ...(await load<Requests>('resource/request/query/list-request.ts')),
    ...(await load<Rows>('data/rows.ts')),
    ...(await load<Provider>('refine/data-provider.ts')),
    findDefinition: registry.findDefinition,
    definitions: registry.resourceEntries().flatMap(({ definition }) => definition ?? []),
    stop: () => vite.close(),
  }
}
