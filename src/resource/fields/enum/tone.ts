import type { EnumField } from '@/resource/definition/definition.generated'
import type { Tone } from '@/ui/status-tag'

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
