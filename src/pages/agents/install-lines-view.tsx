import { Tabs } from 'antd'
import { useTranslation } from 'react-i18next'
import { config } from '@/data/client'
import { CopyButton } from '@/ui/copy-button'
import css from './agents.module.css'
import { INSTALL_PLATFORMS, type InstallPlatform, installLine, uninstallLine } from './install-lines'

/** The token, and an install command for each system. */
export function InstallLines({ token }: { token: string }) {
  const { t } = useTranslation('agents')
  const at = { origin: window.location.origin, server: config.url, key: config.key, token }
  return (
    <div className="l-stack-16">
      <Line label={t('created.token')} copy={t('created.copyToken')} text={token} />
      <Tabs
        size="small"
        items={INSTALL_PLATFORMS.map((platform) => ({
          key: platform,
          label: t(`install.${platform}.name`),
          children: (
            <div className={`l-stack ${css.lines}`}>
              <p className={css.text}>{t(`install.${platform}.text`)}</p>
              <Line
                label={t('created.lineOf', { system: t(`install.${platform}.name`) })}
                copy={t('created.copyLine')}
                text={installLine(platform, at)}
              />
              <NodeHint platform={platform} />
              <Removal platform={platform} />
            </div>
          ),
        }))}
      />
    </div>
  )
}

function NodeHint({ platform }: { platform: InstallPlatform }) {
  const { t } = useTranslation('agents')
  return (
    <p className={css.text}>
      <strong>{t('install.noNode')}</strong> {t(`install.${platform}.noNode`)}
    </p>
  )
}

function Removal({ platform }: { platform: InstallPlatform }) {
  const { t } = useTranslation('agents')
  const line = uninstallLine(platform, window.location.origin)
  if (line === null) return null
  return (
    <details>
      <summary className={css.text}>{t('install.remove')}</summary>
      <div className={`l-stack ${css.removal}`}>
        <Line
          label={t('install.removeOf', { system: t(`install.${platform}.name`) })}
          copy={t('created.copyLine')}
          text={line}
        />
        <p className={css.text}>{t('install.removeText')}</p>
      </div>
    </details>
  )
}

function Line({ label, copy, text }: { label: string; copy: string; text: string }) {
  return (
    <fieldset className={css.line} aria-label={label}>
      <code className={css.code}>{text}</code>
      <CopyButton text={text} label={copy} size="small" />
    </fieldset>
  )
}
