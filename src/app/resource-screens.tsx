import type { ResourceScreen } from '@/app/resource-routes'

export function ResourcePageView({ resource, screen }: { resource: string; screen: ResourceScreen }) {
  return <p>{`${resource} ${screen}`}</p>
}
