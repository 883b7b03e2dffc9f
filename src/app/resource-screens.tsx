import { useParams } from 'react-router'
import type { Screen } from '@/app/definition-routes'
import { lazyPart } from '@/ui/load-chunk'

/**
 * The files a definition may name as its `component`, by `<area>/<name>`. The engine may not import pages, so
 * the glob is here and is passed to it. Each file is loaded when a screen first shows it.
 */
const files = import.meta.glob('/src/pages/**/*-{tab,dialog,field,screen,panel}.tsx')

export const engineComponents = Object.fromEntries(
  Object.entries(files).map(([path, load]) => [path.replace(/^\/src\/pages\/|\.tsx$/g, ''), load]),
)

const ResourceList = lazyPart(async () => ({
  default: (await import('@/resource/screens/resource-list')).ResourceList,
}))
const ResourceShow = lazyPart(async () => ({
  default: (await import('@/resource/screens/resource-show')).ResourceShow,
}))
const ResourceCreate = lazyPart(async () => ({
  default: (await import('@/resource/screens/resource-create')).ResourceCreate,
}))
const ResourceEdit = lazyPart(async () => ({
  default: (await import('@/resource/screens/resource-edit')).ResourceEdit,
}))

/** In place of a page that needs a larger license. */
export const NeedsProView = lazyPart(async () => ({
  default: (await import('@/resource/screens/needs-pro')).NeedsPro,
}))

/** In place of a page whose definition was removed while this window was open. */
export const RemovedView = lazyPart(async () => ({
  default: (await import('@/resource/screens/removed')).Removed,
}))

/** The engine's screen for one of a definition's pages. */
export function ResourcePageView({ resource, screen }: { resource: string; screen: Screen }) {
  const { id = '' } = useParams()
  switch (screen) {
    case 'list':
      return <ResourceList resource={resource} />
    case 'show':
      return <ResourceShow resource={resource} id={id} />
    case 'create':
      return <ResourceCreate resource={resource} />
    case 'edit':
      return <ResourceEdit resource={resource} id={id} />
  }
}
