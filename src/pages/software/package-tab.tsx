import { CanAccess, useNotification } from '@refinedev/core'
import { Alert, Button, Checkbox, Form, Input, Tag, Upload } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import type { TabProps } from '@/resource/engine-context'
import { QueryState } from '@/resource/query-state'
import { useErrorText } from '@/resource/use-error-text'
import { CopyButton } from '@/ui/copy-button'
import { DataTable } from '@/ui/data-table'
import { EmptyState } from '@/ui/empty-state'
import { LeaveGuard } from '@/ui/leave-guard'
import { Panel } from '@/ui/panel'
import { ProgressBar } from '@/ui/progress-bar'
import { RelativeTime } from '@/ui/relative-time'
import { useSingleCall } from '@/ui/use-single-call'
import {
  type PackageFile,
  type PackageLimits,
  usePackageActs,
  usePackageFiles,
  usePackageLimits,
} from './package-data'
import css from './software.module.css'

const MEGABYTE = 1024 * 1024
/** As `begin_package_upload()` takes it. */
const MAX_NAME = 120

function useFileSize() {
  const language = useLanguage()
  return (bytes: number) =>
    bytes > 0 && bytes < MEGABYTE
      ? formatNumber(bytes / 1024, language, {
          style: 'unit',
          unit: 'kilobyte',
          maximumFractionDigits: bytes < 10 * 1024 ? 1 : 0,
        })
      : formatNumber(bytes / MEGABYTE, language, {
          style: 'unit',
          unit: 'megabyte',
          maximumFractionDigits: bytes < 10 * MEGABYTE ? 2 : 0,
        })
}

/** The package of a corporate app: its uploaded versions, and the upload of another one. */
export function PackageTab({ record }: TabProps) {
  const { t } = useTranslation('software')
  const appId = String(record.id)
  const companyId = String(record.company_id)
  const limits = usePackageLimits(appId)
  const files = usePackageFiles(appId, companyId)
  const acts = usePackageActs(appId, companyId)
  const url = typeof record.source_url === 'string' ? record.source_url : ''
  if (files.data === undefined || limits.data === undefined)
    return <QueryState query={[files, limits]} rows={5} />
  const versions = files.data.data
  return (
    <div className="l-stack-16">
      {url ? (
        <Alert type="info" showIcon title={t('package.fromUrl')} description={url} />
      ) : versions.some(({ is_current }) => is_current) ? null : (
        <Alert type="warning" showIcon title={t('package.none')} description={t('package.noneText')} />
      )}
      {limits.data === null ? (
        <Alert type="info" showIcon title={t('package.unavailable')} description={t('package.giveUrl')} />
      ) : (
        <CanAccess resource="corporate_apps" action="edit">
          <UploadPanel
            acts={acts}
            limits={limits.data}
            versions={versions}
            ownVersion={String(record.package_version ?? '')}
            hasSource={url !== '' || versions.some(({ is_current }) => is_current)}
          />
        </CanAccess>
      )}
      <Panel title={t('package.versions')} intro={t('package.versionsIntro')}>
        {versions.length === 0 ? (
          <EmptyState title={t('package.empty')} />
        ) : (
          <VersionTable versions={versions} acts={acts} />
        )}
      </Panel>
    </div>
  )
}

type Acts = ReturnType<typeof usePackageActs>

interface UploadPanelProps {
  acts: Acts
  limits: PackageLimits
  versions: PackageFile[]
  /** That of the app, which the first upload usually has. */
  ownVersion: string
  /** Whether devices have something to install already. */
  hasSource: boolean
}

function UploadPanel({ acts, limits, versions, ownVersion, hasSource }: UploadPanelProps) {
  const { t } = useTranslation(['software', 'common'])
  const errorText = useErrorText()
  const fileSize = useFileSize()
  const { open } = useNotification()
  const [file, setFile] = useState<File | null>(null)
  const known = new Set(versions.map(({ package_version }) => package_version))
  const [typed, setVersion] = useState<string | null>(null)
  const version = typed ?? (known.has(ownVersion) ? '' : ownVersion)
  const [isWanted, setWanted] = useState(true)
  const [failure, setFailure] = useState<string | null>(null)
  const { sending } = acts
  const values = {
    max: fileSize(limits.max_file_mb * MEGABYTE),
    used: fileSize(limits.used_mb * MEGABYTE),
    room: fileSize(limits.max_company_mb * MEGABYTE),
  }
  const isKnown = known.has(version.trim())
  const nameTooLong = file !== null && file.name.length > MAX_NAME
  const tooLarge = file !== null && file.size > limits.max_file_mb * MEGABYTE

  const handleUpload = useSingleCall(async (chosen: File) => {
    setFailure(null)
    try {
      if (!(await acts.upload(chosen, version.trim(), isWanted || !hasSource))) return
      open?.({ type: 'success', message: t('package.uploaded', { version: version.trim() }) })
      setFile(null)
      setVersion(null)
      setWanted(true)
    } catch (error) {
      setFailure(errorText(error))
    }
  })
  return (
    <Panel title={t('package.upload')} intro={t('package.limits', values)}>
      {sending ? (
        <div className="l-stack">
          <span aria-live="polite">
            {t('package.sending', {
              name: sending.name,
              sent: fileSize(sending.sent),
              size: fileSize(sending.size),
            })}
          </span>
          <ProgressBar label={sending.name} done={sending.sent} total={sending.size} />
          <div>
            <Button onClick={acts.cancel}>{t('package.cancel')}</Button>
          </div>
        </div>
      ) : (
        <Form layout="vertical" onFinish={() => (file && version.trim() ? handleUpload(file) : undefined)}>
          <Form.Item
            required
            label={t('package.file')}
            {...(tooLarge || nameTooLong
              ? {
                  validateStatus: 'error',
                  help: t(tooLarge ? 'package.tooLarge' : 'package.nameTooLong', values),
                }
              : { extra: t('package.fileHelp') })}
          >
            <Upload.Dragger
              maxCount={1}
              fileList={file ? [{ uid: '1', name: file.name, size: file.size }] : []}
              beforeUpload={(chosen) => {
                setFile(chosen)
                setFailure(null)
                return false
              }}
              onRemove={() => setFile(null)}
            >
              <p className="l-flush">{t('package.drop')}</p>
            </Upload.Dragger>
          </Form.Item>
          <Form.Item
            required
            label={t('package.version')}
            htmlFor="package-version"
            {...(isKnown ? { validateStatus: 'error', help: t('package.versionExists') } : {})}
          >
            <Input
              id="package-version"
              value={version}
              maxLength={60}
              className={css.field}
              onChange={(event) => setVersion(event.target.value)}
            />
          </Form.Item>
          {hasSource ? (
            <Form.Item extra={t('package.makeCurrentHelp')}>
              <Checkbox checked={isWanted} onChange={(event) => setWanted(event.target.checked)}>
                {t('package.makeCurrent')}
              </Checkbox>
            </Form.Item>
          ) : null}
          {failure ? <Alert type="error" showIcon title={failure} className="l-above" /> : null}
          <Button
            type="primary"
            htmlType="submit"
            disabled={!file || !version.trim() || isKnown || tooLarge || nameTooLong}
          >
            {t('package.start')}
          </Button>
        </Form>
      )}
      <LeaveGuard
        loss="job"
        isLost={() => sending !== null}
        title={t('package.leave')}
        text={t('package.leaveText')}
      />
    </Panel>
  )
}

function VersionTable({ versions, acts }: { versions: PackageFile[]; acts: Acts }) {
  const { t } = useTranslation(['software', 'common'])
  const errorText = useErrorText()
  const fileSize = useFileSize()
  const { open } = useNotification()
  const attempt = (act: Promise<void>) =>
    act.catch((error: unknown) => open?.({ type: 'error', message: errorText(error) }))
  return (
    <DataTable<PackageFile>
      rowKey="id"
      dataSource={versions}
      columns={[
        {
          title: t('package.version'),
          key: 'version',
          render: (_value, { package_version, is_current }) => (
            <>
              {package_version} {is_current ? <Tag color="green">{t('package.current')}</Tag> : null}
            </>
          ),
        },
        { title: t('package.file'), key: 'file', render: (_value, { file_name }) => file_name },
        { title: t('package.size'), key: 'size', render: (_value, { size_bytes }) => fileSize(size_bytes) },
        {
          title: 'SHA-256',
          key: 'sha256',
          render: (_value, { sha256 }) => (
            <span className="l-nowrap">
              <code title={sha256}>{sha256.slice(0, 12)}…</code>{' '}
              <CopyButton iconOnly size="small" type="text" text={sha256} label={t('package.copy')} />
            </span>
          ),
        },
        {
          title: t('package.uploadedAt'),
          key: 'at',
          render: (_value, { created_at }) => <RelativeTime value={created_at} />,
        },
        {
          key: 'acts',
          render: (_value, { id, package_version, is_current }) => (
            <span className={css.acts}>
              {is_current ? null : (
                <GuardedButton
                  resource="corporate_apps"
                  action="edit"
                  size="small"
                  onClick={() => void attempt(acts.use(id))}
                >
                  {t('package.use')}
                </GuardedButton>
              )}
              <GuardedButton
                resource="corporate_apps"
                action="delete"
                size="small"
                danger
                confirm={{
                  title: t('package.deleteTitle', { version: package_version }),
                  text: t(is_current ? 'package.deleteCurrent' : 'package.deleteText'),
                  okText: t('package.delete'),
                  onConfirm: () => attempt(acts.remove(id)),
                }}
              >
                {t('package.delete')}
              </GuardedButton>
            </span>
          ),
        },
      ]}
    />
  )
}
