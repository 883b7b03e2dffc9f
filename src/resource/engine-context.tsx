import { type ComponentType, createContext, type ReactNode, useContext } from 'react'
import type { Row } from '@/data/rows'
import { componentExport } from '@/resource/language/naming'
import { lazyPart } from '@/ui/load-chunk'

/** A tab's component gets the record and whose it is. */
export interface TabProps {
  record: Row
  resource: string
}

/** The rows of a list's filter and search, whatever page they are on, as the database's functions take them. */
export interface MatchingRows {
  filter: Readonly<Record<string, unknown>>
  q: string
}

/**
 * A dialog's component gets the selected records and their company, and reports when it is done. For all
 * matching rows, at most 1,000, a record is its id alone; the dialog reads what else it shows.
 */
export interface DialogProps {
  records: readonly Row[]
  resource: string
  /** The action that opened it. */
  action: string
  /** In place of records, for all matching rows of a list, where the action says `matching`. */
  matching?: MatchingRows
  /** The id of the comment beside which the action was pressed. */
  comment?: string
  onClose: () => void
  /** In place of `onClose` after the records were changed: a list then ends their selection. */
  onDone?: () => void
}

/** A screen in place of a generated one. */
export interface ScreenProps {
  resource: string
}

/** Files of `src/pages` by `<area>/<name>`: found by a glob in `app/`, since the engine may not import pages. */
export type EngineComponents = Readonly<Record<string, () => Promise<unknown>>>

const ComponentsContext = createContext<EngineComponents>({})

export function EngineProvider({
  components,
  children,
}: {
  components: EngineComponents
  children: ReactNode
}) {
  return <ComponentsContext.Provider value={components}>{children}</ComponentsContext.Provider>
}

const loaded = new Map<string, ComponentType<object>>()

/**
 * The component a definition names, loaded when first rendered. `run-procedure-dialog.tsx` exports
 * `RunProcedureDialog`. Null when there is no such file: the caller says so instead of going blank.
 */
export function useEngineComponent<Props>(name: string): ComponentType<Props> | null {
  const components = useContext(ComponentsContext)
  const load = components[name]
  if (!load) return null
  const known = loaded.get(name)
  if (known) return known as unknown as ComponentType<Props>
  const component = lazyPart(async () => {
    const module = (await load()) as Record<string, ComponentType<object>>
    const found = module[componentExport(name)]
    if (!found) throw new Error(`The file of component "${name}" has no export "${componentExport(name)}"`)
    return { default: found }
  })
  loaded.set(name, component)
  return component as unknown as ComponentType<Props>
}
