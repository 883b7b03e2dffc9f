import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import {
  asThemeChoice,
  resolveTheme,
  THEME_STORAGE_KEY,
  type ThemeChoice,
  type ThemeMode,
} from '@/ui/theme-store'
import { useMedia } from '@/ui/use-media'

interface ThemeValue {
  choice: ThemeChoice
  mode: ThemeMode
  setChoice: (choice: ThemeChoice) => void
}

export const ThemeContext = createContext<ThemeValue | null>(null)

export function useTheme(): ThemeValue {
  const value = useContext(ThemeContext)
  if (!value) throw new Error('useTheme needs ThemeProvider above it')
  return value
}

function readStored(): ThemeChoice {
  try {
    return asThemeChoice(window.localStorage.getItem(THEME_STORAGE_KEY))
  } catch {
    return 'system'
  }
}

function store(choice: ThemeChoice): void {
  try {
    window.localStorage.setItem(THEME_STORAGE_KEY, choice)
  } catch {
    // Storage is forbidden here; the choice lasts as long as the page.
  }
}

/** The style sheet that the build writes from `palettes` holds both themes; antd has its own tokens. */
function publishTheme(mode: ThemeMode): void {
  const root = document.documentElement
  root.dataset.theme = mode
  root.style.colorScheme = mode
}

export function ThemeProvider({ children }: { children: ReactNode }) {
  const [choice, setChoiceState] = useState<ThemeChoice>(readStored)
  const systemIsDark = useMedia('(prefers-color-scheme: dark)')
  const mode = resolveTheme(choice, systemIsDark)

  useEffect(() => publishTheme(mode), [mode])

  // Another tab's choice is this tab's too.
  useEffect(() => {
    const handleStorage = (event: StorageEvent) => {
      if (event.key === THEME_STORAGE_KEY) setChoiceState(asThemeChoice(event.newValue))
    }
    window.addEventListener('storage', handleStorage)
    return () => window.removeEventListener('storage', handleStorage)
  }, [])

  const value = useMemo<ThemeValue>(
    () => ({
      choice,
      mode,
      setChoice: (next) => {
        store(next)
        setChoiceState(next)
      },
    }),
    [choice, mode],
  )

  return <ThemeContext.Provider value={value}>{children}</ThemeContext.Provider>
}
