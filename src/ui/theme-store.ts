/** The reader's choice; `system` follows the operating system's setting. */
export type ThemeChoice = 'light' | 'dark' | 'system'
export type ThemeMode = 'light' | 'dark'

/** public/theme.js reads the same key before the first paint. */
export const THEME_STORAGE_KEY = 'theme'
export const THEME_CHOICES: readonly ThemeChoice[] = ['light', 'dark', 'system']

export function asThemeChoice(value: string | null): ThemeChoice {
  return THEME_CHOICES.find((choice) => choice === value) ?? 'system'
}

export function resolveTheme(choice: ThemeChoice, systemIsDark: boolean): ThemeMode {
  if (choice === 'system') return systemIsDark ? 'dark' : 'light'
  return choice
}

/** The top bar's button: what is seen changes, whatever it came from. */
export function toggledTheme(mode: ThemeMode): ThemeChoice {
  return mode === 'dark' ? 'light' : 'dark'
}
