import { CanAccess, useNotification } from '@refinedev/core'
import { Alert, Button, Checkbox, Form, Input, Tag } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import { deleteFile, type FileRow } from '@/data/files'
import type { TabProps } from '@/resource/engine-context'
import { DropArea } from '@/resource/fields/file/drop-area'
import { useFileSize } from '@/resource/fields/file/file-size'
import { UploadList } from '@/resource/fields/file/upload-list'
import { useUploads } from '@/resource/fields/file/use-uploads'
import { QueryState } from '@/resource/query-state'
import { useErrorText } from '@/resource/use-error-text'
import { CopyButton } from '@/ui/copy-button'
import { DataTable } from '@/ui/data-table'
import { EmptyState } from '@/ui/empty-state'
import { Panel } from '@/ui/panel'
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
/** As the database takes it for a package. */
const MAX_NAME = 120

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
            companyId={companyId}
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
  companyId: string
  limits: PackageLimits
  versions: PackageFile[]
  /** That of the app, which the first upload usually has. */
  ownVersion: string
  /** Whether devices have something to install already. */
  hasSource: boolean
}

function UploadPanel({ acts, companyId, limits, versions, ownVersion, hasSource }: UploadPanelProps) {
  const { t } = useTranslation(['software', 'files'])
  const errorText = useErrorText()
  const fileSize = useFileSize()
  const { open } = useNotification()
  /** The upload that has arrived and is no version yet. */
  const [draft, setDraft] = useState<FileRow | null>(null)
  const uploads = useUploads(
    { resource: 'corporate_app_files', companyId, recordId: null, field: 'file_id' },
    setDraft,
  )
  const known = new Set(versions.map(({ package_version }) => package_version))
  const [typed, setVersion] = useState<string | null>(null)
  const version = typed ?? (known.has(ownVersion) ? '' : ownVersion)
  const [isWanted, setWanted] = useState(true)
  const [failure, setFailure] = useState<string | null>(null)
  const values = {
    max: fileSize(limits.max_file_mb * MEGABYTE),
    used: fileSize(limits.used_mb * MEGABYTE),
    room: fileSize(limits.max_company_mb * MEGABYTE),
  }
  const isKnown = known.has(version.trim())

  const handleFiles = (files: readonly File[]) => {
    const isTooLong = files.some(({ name }) => name.length > MAX_NAME)
    setFailure(isTooLong ? t('package.nameTooLong') : null)
    if (!isTooLong) uploads.add(files)
  }
  const handleRemove = () => {
    if (draft) void deleteFile(draft.id).catch(() => undefined)
    setDraft(null)
    setFailure(null)
  }
  const handleAdd = useSingleCall(async (file: FileRow) => {
    setFailure(null)
    try {
      await acts.add(file.id, version.trim(), isWanted || !hasSource)
      open?.({ type: 'success', message: t('package.uploaded', { version: version.trim() }) })
      setDraft(null)
      setVersion(null)
      setWanted(true)
    } catch (error) {
      setFailure(errorText(error))
    }
  })
  return (
    <Panel title={t('package.upload')} intro={t('package.limits', values)}>
      <Form layout="vertical" onFinish={() => (draft && version.trim() ? handleAdd(draft) : undefined)}>
        <Form.Item required label={t('package.file')} htmlFor="package-file" extra={t('package.fileHelp')}>
          {draft ? (
            <span className="k-file-value">
              {draft.name} <span className="k-soft">{fileSize(draft.size)}</span>{' '}
              <Button
                size="small"
                aria-label={t('files:removeNamed', { name: draft.name })}
                onClick={handleRemove}
              >
                {t('files:remove')}
              </Button>
            </span>
          ) : uploads.uploads.length === 0 ? (
            <DropArea id="package-file" isSingle onFiles={handleFiles} />
          ) : null}
          <UploadList uploads={uploads} />
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
        <Button type="primary" htmlType="submit" disabled={!draft || !version.trim() || isKnown}>
          {t('package.start')}
        </Button>
      </Form>
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
