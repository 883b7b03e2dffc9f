import { useLocation, useSearchParams } from 'react-router'

/**
 * A tab's own parameters in the address; others are kept. An empty value removes its parameter. Replaces the
 * history entry, so that "back" leaves the page instead of undoing filters.
 */
export function useTabParams<Name extends string>(names: readonly Name[]) {
  const [search, setSearch] = useSearchParams()
  const { state } = useLocation()
  const params = Object.fromEntries(
    names.flatMap((name) => {
      const value = search.get(name)
      return value ? [[name, value]] : []
    }),
  ) as Partial<Record<Name, string>>
  const setParams = (changes: Partial<Record<Name, string>>) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before)
        for (const [name, value] of Object.entries(changes) as [Name, string][]) {
          if (value) next.set(name, value)
          else next.delete(name)
        }
        return next
      },
      // The state remembers the list that the record was opened from.
      { replace: true, state },
    )
  return { params, setParams }
}
