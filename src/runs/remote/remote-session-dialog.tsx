import { useList, useOne } from '@refinedev/core'
import { Button, Form, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useCan } from '@/access/use-can'
import type { TableRow } from '@/data/database'
import type { DialogProps } from '@/resource/engine-context'
import { createPath } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { QueryState } from '@/resource/query-state'
import { type Named, RecordSelect } from '@/runs/targets/record-select'
import { useCompanyScope } from '@/session/use-company-scope'
import { EmptyState } from '@/ui/empty-state'
import { remoteAddress } from './remote-links'

type Device = Pick<TableRow<'devices'>, 'id' | 'name' | 'company_id' | 'hostname' | 'ip_address' | 'platform'>
type RemoteLink = Pick<TableRow<'remote_links'>, 'id' | 'name' | 'template' | 'platform'>

/** The ways to connect to a device; without one, it is chosen first. */
export function RemoteSessionDialog({ records, onClose }: Pick<DialogProps, 'records' | 'onClose'>) {
  const { t } = useTranslation('devices')
  const { companyId } = useCompanyScope()
  const [first] = records
  const [chosen, setChosen] = useState<Named | null>(null)
  const deviceId = first ? String(first.id) : (chosen?.id ?? null)
  return (
    <Modal open title={t('remote.title')} onCancel={onClose} footer={null} width={520}>
      {first ? null : (
        <Form.Item label={t('remote.device')} htmlFor="remote-device" layout="vertical">
          <RecordSelect<Named>
            id="remote-device"
            resource="devices"
            select="id,name"
            companyId={companyId}
            label={t('remote.device')}
            placeholder={t('select.placeholder')}
            nothing={t('select.nothing')}
            value={chosen}
            onChange={setChosen}
          />
        </Form.Item>
      )}
      {deviceId ? <Links key={deviceId} deviceId={deviceId} onClose={onClose} /> : null}
    </Modal>
  )
}

function Links({ deviceId, onClose }: { deviceId: string; onClose: () => void }) {
  const { t } = useTranslation('devices')
  const can = useCan()
  const { query: found } = useOne<Device>({
    resource: 'devices',
    id: deviceId,
    meta: { select: 'id,name,company_id,hostname,ip_address,platform' },
  })
  const device = found.data?.data
  const { query: list } = useList<RemoteLink>({
    resource: 'remote_links',
    sorters: [{ field: 'name_key', order: 'asc' }],
    pagination: { mode: 'off' },
    meta: { companyId: device?.company_id, select: 'id,name,template,platform', count: 'none' },
    queryOptions: { enabled: device !== undefined },
  })
  if (found.error || list.error || !device || !list.data) return <QueryState query={[found, list]} rows={2} />
  const links = list.data.data.filter(({ platform }) => platform === null || platform === device.platform)
  const definition = findDefinition('remote_links')
  if (links.length === 0)
    return (
      <EmptyState
        title={t('remote.none')}
        text={t('remote.noneText')}
        action={
          definition && can('remote_links', 'create').allowed ? (
            <Link to={createPath(definition)} onClick={onClose}>
              {t('remote.add')}
            </Link>
          ) : undefined
        }
      />
    )
  return (
    <>
      <p className="l-first">{t('remote.intro')}</p>
      <ul className="l-list l-stack">
        {links.map(({ id, name, template }) => {
          const address = remoteAddress(template, device)
          if (!address) return null
          return (
            <li key={id}>
              {'href' in address ? (
                <Button
                  block
                  href={address.href}
                  {...(address.href.startsWith('https:') ? { target: '_blank', rel: 'noreferrer' } : {})}
                >
                  {name}
                </Button>
              ) : (
                <Button block disabled>
                  {name}: {t('remote.missing', { field: t(`remote.field.${address.missing}`) })}
                </Button>
              )}
            </li>
          )
        })}
      </ul>
    </>
  )
}
