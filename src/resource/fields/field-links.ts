import { createContext, useContext } from 'react'

/** Off where a press on a value means the value itself, such as in a list whose cells are edited. */
export const FieldLinksContext = createContext(true)

/** Whether a value that names something else leads there when it is pressed. */
export function useFieldLinks(): boolean {
  return useContext(FieldLinksContext)
}
