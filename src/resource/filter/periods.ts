/** The periods that a filter by days offers, as the address writes them. */
export const PERIODS = {
  today: '$now..$now',
  last7: '$now-7d..$now',
  last30: '$now-30d..$now',
  older30: '..$now-31d',
} as const

export type Period = keyof typeof PERIODS

export function periodOf(raw: string): Period | undefined {
  return (Object.keys(PERIODS) as Period[]).find((period) => PERIODS[period] === raw)
}
