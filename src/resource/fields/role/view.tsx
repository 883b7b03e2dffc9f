import { useValueWord } from '@/resource/definition/words'
import { Blank } from '@/resource/fields/cell-parts'
import type { CellProps } from '@/resource/fields/kind-interface'

export function Cell({ value, name, resource }: CellProps<'role'>) {
  const word = useValueWord(resource, name)
  return typeof value === 'string' && value !== '' ? <span>{word(value)}</span> : <Blank />
}
