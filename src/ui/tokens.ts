import type { ThemeConfig } from 'antd'

/**
 * The colors of both themes. Every pair that carries text was measured at 4.5:1 or better on every surface it
 * is used on, also on hover. In the dark theme solid surfaces (buttons, tooltips, badges) are light with dark
 * text: a blue dark enough for white text cannot be read as a link on black.
 */
const light = {
  primary: '#1d4ed8',
  primaryHover: '#1e40af',
  primaryActive: '#1e3a8a',
  primarySoft: '#e8effd',
  link: '#1d4ed8',
  success: '#15703c',
  warning: '#8a5300',
  error: '#b91c1c',
  errorHover: '#991b1b',
  info: '#1d4ed8',
  successSoft: '#e7f6ec',
  warningSoft: '#fff4dc',
  errorSoft: '#fdecec',
  infoSoft: '#e8effd',
  successLine: '#a3d9b8',
  warningLine: '#ecc876',
  errorLine: '#f3b1b1',
  infoLine: '#b3c8f5',
  text: '#16202e',
  textSoft: '#4a5768',
  textFaint: '#5b6878',
  placeholder: '#5d697b',
  disabled: '#606c7d',
  disabledFill: '#f0f3f7',
  onSolid: '#ffffff',
  spotlight: '#1f2937',
  page: '#f4f6f9',
  surface: '#ffffff',
  sunken: '#f0f3f7',
  line: '#dce2ea',
  lineStrong: '#8894a5',
  focus: '#1d4ed8',
  shadow: '0 1px 2px rgb(16 24 40 / 6%)',
}

export type Palette = typeof light

const dark: Palette = {
  primary: '#7eb0ff',
  primaryHover: '#9cc3ff',
  primaryActive: '#6aa1f7',
  primarySoft: '#1a2c4b',
  link: '#8ab8ff',
  success: '#63d08f',
  warning: '#eeb84e',
  error: '#ff8f86',
  errorHover: '#ffaaa3',
  info: '#7eb0ff',
  successSoft: '#11301f',
  warningSoft: '#352709',
  errorSoft: '#3b191a',
  infoSoft: '#1a2c4b',
  successLine: '#285c3d',
  warningLine: '#6a5118',
  errorLine: '#7a3534',
  infoLine: '#30508a',
  text: '#e7ecf3',
  textSoft: '#b3bfce',
  textFaint: '#9ba8b9',
  placeholder: '#8f9cae',
  disabled: '#8f9cae',
  disabledFill: '#1b232e',
  onSolid: '#0b1422',
  spotlight: '#e7ecf3',
  page: '#0d131b',
  surface: '#141c27',
  sunken: '#1b2431',
  line: '#2a3543',
  lineStrong: '#68778b',
  focus: '#9cc3ff',
  shadow: '0 1px 2px rgb(0 0 0 / 40%)',
}

export const palettes = { light, dark }

export const FONT_FAMILY =
  "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'Liberation Sans', Arial, sans-serif"
export const MONO_FAMILY =
  "ui-monospace, SFMono-Regular, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace"

/** antd's tokens that must be exactly these colors, whatever its algorithm derives from the seeds. */
export function mapTokens(c: Palette) {
  return {
    colorPrimary: c.primary,
    colorPrimaryHover: c.primaryHover,
    colorPrimaryActive: c.primaryActive,
    colorPrimaryText: c.link,
    colorPrimaryTextHover: c.primaryHover,
    colorPrimaryTextActive: c.primaryActive,
    colorPrimaryBg: c.primarySoft,
    colorPrimaryBgHover: c.primarySoft,
    colorPrimaryBorder: c.infoLine,
    colorLink: c.link,
    colorLinkHover: c.primaryHover,
    colorLinkActive: c.primaryActive,
    colorSuccess: c.success,
    colorSuccessText: c.success,
    colorSuccessBg: c.successSoft,
    colorSuccessBorder: c.successLine,
    colorWarning: c.warning,
    colorWarningText: c.warning,
    colorWarningBg: c.warningSoft,
    colorWarningBorder: c.warningLine,
    colorError: c.error,
    colorErrorHover: c.errorHover,
    colorErrorActive: c.errorHover,
    colorErrorText: c.error,
    colorErrorTextHover: c.errorHover,
    colorErrorBg: c.errorSoft,
    colorErrorBorder: c.errorLine,
    colorInfo: c.info,
    colorInfoText: c.info,
    colorInfoBg: c.infoSoft,
    colorInfoBorder: c.infoLine,
    colorText: c.text,
    colorTextBase: c.text,
    colorTextHeading: c.text,
    colorTextSecondary: c.textSoft,
    colorTextTertiary: c.textFaint,
    colorTextQuaternary: c.placeholder,
    colorTextDescription: c.textFaint,
    colorTextPlaceholder: c.placeholder,
    colorTextDisabled: c.disabled,
    colorBgContainerDisabled: c.disabledFill,
    colorTextLightSolid: c.onSolid,
    colorBgSpotlight: c.spotlight,
    colorBgLayout: c.page,
    colorBgContainer: c.surface,
    colorBgElevated: c.surface,
    colorBorder: c.lineStrong,
    colorBorderSecondary: c.line,
    colorSplit: c.line,
    colorIcon: c.textSoft,
    colorIconHover: c.text,
  }
}

export function componentTokens(c: Palette): ThemeConfig['components'] {
  return {
    Button: {
      primaryColor: c.onSolid,
      dangerColor: c.onSolid,
      primaryShadow: 'none',
      defaultShadow: 'none',
      dangerShadow: 'none',
      fontWeight: 500,
    },
    Table: {
      headerBg: c.sunken,
      headerColor: c.textSoft,
      headerSplitColor: 'transparent',
      rowHoverBg: c.sunken,
      rowSelectedBg: c.primarySoft,
      rowSelectedHoverBg: c.primarySoft,
      borderColor: c.line,
      headerBorderRadius: 6,
    },
    Tabs: {
      itemSelectedColor: c.link,
      itemHoverColor: c.link,
      inkBarColor: c.primary,
      horizontalMargin: '0',
    },
    Menu: { itemSelectedColor: c.link, itemSelectedBg: c.primarySoft },
    Select: { optionSelectedBg: c.primarySoft, optionSelectedColor: c.text },
    Tag: { defaultBg: c.sunken, defaultColor: c.text },
    Card: { headerFontSize: 15 },
    Modal: { titleFontSize: 16 },
  }
}
