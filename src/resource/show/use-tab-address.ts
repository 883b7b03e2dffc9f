import { matchPath, useLocation, useNavigate, useSearchParams } from 'react-router'
import type { Definition } from '@/resource/definition/definition.generated'
import { hasTabPath, showPath } from '@/resource/definition/naming'

interface TabAddress {
  /** The tab the address names, existing or not. */
  asked: string | null
  choose: (name: string) => void
}

/**
 * The tab is part of the record's address, in the query or, if the definition says so, in the path. Changing
 * tabs adds no history entry.
 */
export function useTabAddress(definition: Definition, id: string, overview: string): TabAddress {
  const [params] = useSearchParams()
  const location = useLocation()
  const navigate = useNavigate()
  const record = showPath(definition, id)
  const inPath = matchPath(`${record}/:tab`, location.pathname)?.params.tab
  return {
    asked: inPath ?? params.get('tab'),
    choose: (name) => {
      const options = { replace: true, state: location.state }
      if (name === overview) navigate(record, options)
      else if (hasTabPath(definition, name)) navigate(`${record}/${name}`, options)
      else navigate({ pathname: record, search: `?tab=${encodeURIComponent(name)}` }, options)
    },
  }
}
