import CloudSyncOutlined from '@ant-design/icons/es/icons/CloudSyncOutlined'
import CodeOutlined from '@ant-design/icons/es/icons/CodeOutlined'
import DesktopOutlined from '@ant-design/icons/es/icons/DesktopOutlined'
import HeartOutlined from '@ant-design/icons/es/icons/HeartOutlined'
import { Tooltip } from 'antd'
import { type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { isOutOfRole } from '@/access/policy'
import { useCan, useDenialText } from '@/access/use-can'
import { lazyPart } from '@/ui/load-chunk'
import css from './dashboard-page.module.css'

const RunProcedureDialog = lazyPart(() =>
  import('@/runs/start/run-procedure-dialog').then((module) => ({
    default: module.RunProcedureDialog,
  })),
)

const TaskDialog = lazyPart(() =>
  import('@/runs/start/task-dialog').then((module) => ({ default: module.TaskDialog })),
)

const RemoteSessionDialog = lazyPart(() =>
  import('@/runs/remote/remote-session-dialog').then((module) => ({ default: module.RemoteSessionDialog })),
)

/** Monitors with an open alert are the ones that are not active. */
const FAILING_MONITORS = '/monitors?is_active=false'

export function QuickActions() {
  const { t } = useTranslation('dashboard')
  const navigate = useNavigate()
  const [open, setOpen] = useState<'script' | 'updates' | 'remote' | null>(null)
  const can = useCan()
  const deploy = can('procedures', 'run')
  const scan = can('device_patches', 'run')
  const remote = can('remote_links', 'list')
  const close = () => setOpen(null)
  const denialText = useDenialText()

  return (
    <section aria-labelledby="quick-actions">
      <h2 className={css.heading} id="quick-actions">
        {t('actions.title')}
      </h2>
      <ul className={`${css.cards} ${css.actions}`}>
        {isOutOfRole(deploy) ? null : (
          <Tile
            icon={<CodeOutlined aria-hidden="true" />}
            title={t('actions.deployScript')}
            text={deploy.allowed ? t('actions.deployScriptText') : denialText(deploy.reason)}
            isDisabled={!deploy.allowed}
            onClick={() => setOpen('script')}
          />
        )}
        {isOutOfRole(scan) ? null : (
          <Tile
            icon={<CloudSyncOutlined aria-hidden="true" />}
            title={t('actions.checkUpdates')}
            text={scan.allowed ? t('actions.checkUpdatesText') : denialText(scan.reason)}
            isDisabled={!scan.allowed}
            onClick={() => setOpen('updates')}
          />
        )}
        <Tile
          icon={<HeartOutlined aria-hidden="true" />}
          title={t('actions.systemHealth')}
          text={t('actions.systemHealthText')}
          onClick={() => navigate(FAILING_MONITORS)}
        />
        {isOutOfRole(remote) ? null : (
          <Tile
            icon={<DesktopOutlined aria-hidden="true" />}
            title={t('actions.remoteDesktop')}
            text={remote.allowed ? t('actions.remoteDesktopText') : denialText(remote.reason)}
            isDisabled={!remote.allowed}
            onClick={() => setOpen('remote')}
          />
        )}
      </ul>
      <Suspense fallback={null}>
        {open === 'script' ? <RunProcedureDialog records={[]} resource="devices" onClose={close} /> : null}
        {open === 'remote' ? <RemoteSessionDialog records={[]} onClose={close} /> : null}
        {open === 'updates' ? (
          <TaskDialog records={[]} resource="devices" action="scan_patches" onClose={close} />
        ) : null}
      </Suspense>
    </section>
  )
}

type TileProps = { icon: ReactNode; title: string; text: string; isDisabled?: boolean; onClick?: () => void }

/** A disabled tile shows its reason as text: touch screens have no tooltips. */
function Tile({ icon, title, text, isDisabled = false, onClick }: TileProps) {
  return (
    <li>
      <Tooltip title={isDisabled ? text : null}>
        <button
          type="button"
          className={css.tile}
          aria-disabled={isDisabled}
          onClick={isDisabled ? undefined : onClick}
        >
          <span className={`${css.cardIcon} ${css.tileIcon} ${isDisabled ? '' : css.info}`} aria-hidden>
            {icon}
          </span>
          <span className={css.tileTitle}>{title}</span>
          <span className={css.tileText}>{text}</span>
        </button>
      </Tooltip>
    </li>
  )
}
