/**
 * Colors for four systems; every other one is gray. Each has a contrast of 3:1 on white and on the dark card.
 */
const COLORS: Readonly<Record<string, string>> = {
  'Windows 11': '#1677ff',
  'Windows 10': '#08979c',
  Ubuntu: '#e8590c',
  macOS: '#9254de',
}

const GRAY = '#8c8c8c'

export const osColor = (os: string): string => COLORS[os] ?? GRAY
