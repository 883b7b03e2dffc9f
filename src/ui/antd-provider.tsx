import { theme as antdTheme, ConfigProvider, type ThemeConfig } from 'antd'
import type { Locale } from 'antd/es/locale'
import english from 'antd/es/locale/en_US'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import type { Language } from '@/i18n/language'
import { useLanguage } from '@/i18n/use-language'
import { loadChunk } from '@/ui/load-chunk'
import { useTheme } from '@/ui/theme-provider'
import type { ThemeMode } from '@/ui/theme-store'
import { componentTokens, FONT_FAMILY, MONO_FAMILY, mapTokens, type Palette, palettes } from '@/ui/tokens'
import { useMedia } from '@/ui/use-media'

/** antd in our colors and the reader's language, for everything behind the sign-in. */
export function AntdProvider({ children }: { children: ReactNode }) {
  const { mode } = useTheme()
  const language = useLanguage()
  const isStill = useMedia('(prefers-reduced-motion: reduce)')
  const config = useMemo(() => themeConfig(mode, isStill), [mode, isStill])
  const { t } = useTranslation('common')
  return (
    <ConfigProvider
      theme={config}
      locale={useAntdLocale(language)}
      getPopupContainer={popupContainer}
      modal={DIALOGS}
    >
      {children}
      {createPortal(<section id={POPUPS} aria-label={t('popups')} />, document.body)}
    </ConfigProvider>
  )
}

const POPUPS = 'popups'

/** A click beside a dialog closes none, because it would throw away whatever was typed. A dialog that only shows may. */
const DIALOGS = { mask: { closable: false } } as const

/**
 * Menus, lists and dialogs render into a landmark region: screen readers cannot find content outside of
 * regions.
 */
function popupContainer(): HTMLElement {
  return document.getElementById(POPUPS) ?? document.body
}

function themeConfig(mode: ThemeMode, isStill: boolean): ThemeConfig {
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
      motion: !isStill,
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

/**
 * antd's Turkish texts are loaded only when needed. There is always a locale: ConfigProvider wraps its
 * children in one more element when it has one, so adding it later would remount the whole console and lose
 * form input.
 */
function useAntdLocale(language: Language): Locale {
  const [turkish, setTurkish] = useState<Locale>()
  useEffect(() => {
    if (language === 'tr' && !turkish) {
      void loadChunk(() => import('@/ui/turkish-locale')).then((module) => setTurkish(module.turkishLocale))
    }
  }, [language, turkish])
  return language === 'tr' && turkish ? turkish : english
}
