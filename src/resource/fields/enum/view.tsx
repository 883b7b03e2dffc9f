import { useEngineWords } from '@/i18n/use-language'
import { Blank, isPaused } from '@/resource/fields/cell-parts'
import type { CellProps } from '@/resource/fields/kind-interface'
import type { EnumField } from '@/resource/language/definition.generated'
import { useValueWord } from '@/resource/language/words'
import { StatusTag, type Tone } from '@/ui/status-tag'

type Color = EnumField['values'][string]

/** A definition names colors, as people do; the theme has tones, each readable on both backgrounds. */
const TONES: Record<Color, Tone> = {
  default: 'neutral',
  gray: 'neutral',
  green: 'success',
  orange: 'warning',
  gold: 'warning',
  red: 'error',
  blue: 'info',
  cyan: 'info',
  purple: 'info',
  magenta: 'info',
}

export function toneOf(color: Color | undefined): Tone {
  return color ? TONES[color] : 'neutral'
}

function EnumCell({ value, field, name, resource, row }: CellProps<'enum'>) {
  const t = useEngineWords()
  const word = useValueWord(resource, name)
  if (value === null || value === undefined || value === '') return <Blank />
  const text = isPaused(field, resource, row)
    ? t('countdown.pausedValue', { value: word(String(value)) })
    : word(String(value))
  const color = field.values[String(value)]
  // A value that has no color is a kind of thing, not a state: plain words.
  if (!color || color === 'default') return <span>{text}</span>
  return (
    <StatusTag tone={toneOf(color)} dot={field.state === true}>
      {text}
    </StatusTag>
  )
}

function RoleCell({ value, name, resource }: CellProps<'role'>) {
  const word = useValueWord(resource, name)
  return typeof value === 'string' && value !== '' ? <span>{word(value)}</span> : <Blank />
}

export const cells = { enum: EnumCell, role: RoleCell }
