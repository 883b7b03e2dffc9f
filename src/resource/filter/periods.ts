import type { Field } from '@/resource/definition/definition.generated'

/** The periods that a filter by days offers, as the address writes them. */
export const PERIODS = {
  past: '..$now-1d',
  today: '$now..$now',
  next7: '$now..$now+7d',
  next30: '$now..$now+30d',
  last7: '$now-7d..$now',
  last30: '$now-30d..$now',
  older30: '..$now-31d',
} as const

export type Period = keyof typeof PERIODS

/** A day that people choose, such as a due date, may lie ahead. One that the database writes has passed. */
const OFFERED: Record<'chosen' | 'recorded', readonly Period[]> = {
  chosen: ['past', 'today', 'next7', 'next30', 'last30'],
  recorded: ['today', 'last7', 'last30', 'older30'],
}

export function periodsOf(field: Field): readonly Period[] {
  return OFFERED[field.readonly || field.from ? 'recorded' : 'chosen']
}

export function periodOf(raw: string): Period | undefined {
  return (Object.keys(PERIODS) as Period[]).find((period) => PERIODS[period] === raw)
}
