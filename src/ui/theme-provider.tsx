import { theme as antdTheme, ConfigProvider, type ThemeConfig } from 'antd'
import type { Locale } from 'antd/es/locale'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import type { Language } from '@/i18n/language'
import {
  asThemeChoice,
  resolveTheme,
  THEME_STORAGE_KEY,
  type ThemeChoice,
  type ThemeMode,
} from '@/ui/theme-store'
import { componentTokens, FONT_FAMILY, MONO_FAMILY, mapTokens, type Palette, palettes } from '@/ui/tokens'

interface ThemeValue {
  choice: ThemeChoice
  mode: ThemeMode
  setChoice: (choice: ThemeChoice) => void
}

const ThemeContext = createContext<ThemeValue | null>(null)

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

/** Our own style sheets read the same colours as antd: `--k-text-soft` is `textSoft`. */
function publishPalette(mode: ThemeMode): void {
  const root = document.documentElement
  root.dataset.theme = mode
  root.style.colorScheme = mode
  for (const [name, value] of Object.entries(palettes[mode])) {
    root.style.setProperty(`--k-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, value)
  }
}

function themeConfig(mode: ThemeMode, still: boolean): ThemeConfig {
  const palette: Palette = palettes[mode]
  const base = mode === 'dark' ? antdTheme.darkAlgorithm : antdTheme.defaultAlgorithm
  return {
    // After the algorithm, because antd derives its own shades from seeds and ignores overrides of them.
    algorithm: [base, (seed, map) => ({ ...(map ?? base(seed)), ...mapTokens(palette) })],
    token: {
      fontFamily: FONT_FAMILY,
      fontFamilyCode: MONO_FAMILY,
      fontSize: 14,
      borderRadius: 6,
      motion: !still,
      wireframe: false,
      ...aliasTokens(palette),
    },
    components: componentTokens(palette),
    cssVar: { key: 'konsol' },
    hashed: false,
  }
}

/** Aliases are computed after every algorithm, so these few have to be stated as overrides too. */
function aliasTokens(c: Palette) {
  const {
    colorTextHeading,
    colorTextDescription,
    colorTextPlaceholder,
    colorTextDisabled,
    colorBgContainerDisabled,
    colorTextLightSolid,
    colorBgSpotlight,
    colorSplit,
    colorIcon,
    colorIconHover,
    colorLink,
    colorLinkHover,
    colorLinkActive,
  } = mapTokens(c)
  return {
    colorTextHeading,
    colorTextDescription,
    colorTextPlaceholder,
    colorTextDisabled,
    colorBgContainerDisabled,
    colorTextLightSolid,
    colorBgSpotlight,
    colorSplit,
    colorIcon,
    colorIconHover,
    colorLink,
    colorLinkHover,
    colorLinkActive,
  }
}

function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => window.matchMedia(query).matches)
  useEffect(() => {
    const media = window.matchMedia(query)
    const update = () => setMatches(media.matches)
    update()
    media.addEventListener('change', update)
    return () => media.removeEventListener('change', update)
  }, [query])
  return matches
}

interface ThemeProviderProps {
  language: Language
  children: ReactNode
}

export function ThemeProvider({ language, children }: ThemeProviderProps) {
  const [choice, setChoiceState] = useState<ThemeChoice>(readStored)
  const systemIsDark = useMedia('(prefers-color-scheme: dark)')
  const still = useMedia('(prefers-reduced-motion: reduce)')
  const mode = resolveTheme(choice, systemIsDark)
  const locale = useAntdLocale(language)

  useEffect(() => publishPalette(mode), [mode])

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
  const config = useMemo(() => themeConfig(mode, still), [mode, still])

  return (
    <ThemeContext.Provider value={value}>
      <ConfigProvider theme={config} locale={locale}>
        {children}
      </ConfigProvider>
    </ThemeContext.Provider>
  )
}

/** antd speaks English by itself; its Turkish words come only when they are needed. */
function useAntdLocale(language: Language): Locale | undefined {
  const [turkish, setTurkish] = useState<Locale>()
  useEffect(() => {
    if (language === 'tr' && !turkish) {
      void import('@/ui/turkish-locale').then((module) => setTurkish(module.turkishLocale))
    }
  }, [language, turkish])
  return language === 'tr' ? turkish : undefined
}
