import type { EnumField } from '@/resource/definition/definition.generated'
import type { Tone } from '@/ui/status-tag'

type Colour = EnumField['values'][string]

/** A definition names colours, as people do; the theme has tones, each readable on both backgrounds. */
const TONES: Record<Colour, Tone> = {
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

export function toneOf(colour: Colour | undefined): Tone {
  return colour ? TONES[colour] : 'neutral'
}
