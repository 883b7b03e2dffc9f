/** The four systems the product has a colour for; every other one is grey. Each stands 3:1 on white and on the dark card. */
const COLOURS: Readonly<Record<string, string>> = {
  'Windows 11': '#1677ff',
  'Windows 10': '#08979c',
  Ubuntu: '#e8590c',
  macOS: '#9254de',
}

const GREY = '#8c8c8c'

export const osColour = (os: string): string => COLOURS[os] ?? GREY
