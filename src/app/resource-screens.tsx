import { lazy } from 'react'
import { useParams } from 'react-router'
import type { ResourceScreen } from '@/app/resource-routes'
import { findDefinition } from '@/resource/registry'

const ResourceList = lazy(async () => ({
  default: (await import('@/resource/screens/list/resource-list')).ResourceList,
}))
const ResourceShow = lazy(async () => ({
  default: (await import('@/resource/screens/show/resource-show')).ResourceShow,
}))

export function ResourcePageView({ resource, screen }: { resource: string; screen: ResourceScreen }) {
  const { id = '' } = useParams()
  const definition = findDefinition(resource)
  if (!definition) return null
  if (screen === 'list') return <ResourceList definition={definition} />
  if (screen === 'show') return <ResourceShow definition={definition} id={id} />
  return null
}
