import { useValueWord } from '@/resource/definition/words'
import { Blank } from '@/resource/fields/blank'
import { toneOf } from '@/resource/fields/enum/tone'
import type { CellProps } from '@/resource/fields/kind'
import { StatusTag } from '@/ui/status-tag'

export function Cell({ value, field, name, resource }: CellProps<'enum'>) {
  const word = useValueWord(resource, name)
  if (value === null || value === undefined || value === '') return <Blank />
  const color = field.values[String(value)]
  // A value that has no color is a kind of thing, not a state: plain words.
  if (!color || color === 'default') return <span>{word(String(value))}</span>
  return (
    <StatusTag tone={toneOf(color)} dot={field.state === true}>
      {word(String(value))}
    </StatusTag>
  )
}
