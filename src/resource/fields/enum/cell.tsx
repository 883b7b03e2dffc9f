import { Blank } from '@/resource/fields/blank'
import { toneOf } from '@/resource/fields/enum/tone'
import type { CellProps } from '@/resource/fields/kind'
import { useValueWord } from '@/resource/words'
import { StatusTag } from '@/ui/status-tag'

export function Cell({ value, field, name, resource }: CellProps<'enum'>) {
  const word = useValueWord(resource, name)
  if (value === null || value === undefined || value === '') return <Blank />
  const colour = field.values[String(value)]
  // Without a colour it is a kind of thing, not a state: plain words.
  if (!colour || colour === 'default') return <span>{word(String(value))}</span>
  return (
    <StatusTag tone={toneOf(colour)} dot={field.state === true}>
      {word(String(value))}
    </StatusTag>
  )
}
