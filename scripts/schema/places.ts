import type { Kind } from './objects'

/** The folder of the resources that were added to the product, a file each. */
export const RESOURCES = 'supabase/schemas/90_resources'

export const within = (path: string) => path.startsWith(`${RESOURCES}/`)
export const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'))

export function renamedPath(path: string, from: string, to: string): string {
  return within(path) ? path.replace(new RegExp(`(/\\d+_)${from}\\.sql$`), `$1${to}.sql`) : path
}

/** The path of the file of a new resource: behind those that it can refer to. */
export function resourcePath(paths: Iterable<string>, table: string): string {
  const numbers = [...paths].filter(within).map((path) => Number(/\/(\d+)_[^/]+$/.exec(path)?.[1] ?? 0))
  const next = Math.max(0, ...numbers) + 1
  return `${RESOURCES}/${String(next).padStart(3, '0')}_${table}.sql`
}

/** In which order the objects of one table read. */
export const RANK: Partial<Record<Kind, number>> = {
  table: 0,
  constraint: 0,
  comment: 1,
  index: 2,
  view: 2,
  keep: 3,
  function: 4,
  trigger: 5,
  'dropped trigger': 5,
  grants: 6,
  'row security': 7,
  policy: 8,
}

const FILES: [string, Kind[]][] = [
  ['tables.sql', ['table', 'column', 'constraint', 'index', 'comment']],
  ['functions.sql', ['function', 'view']],
  ['triggers.sql', ['trigger', 'keep', 'dropped trigger']],
  ['policies.sql', ['grants', 'row security', 'policy']],
]

export const fileNameOf = (kind: Kind) =>
  FILES.find(([, kinds]) => kinds.includes(kind))?.[0] ?? 'functions.sql'
