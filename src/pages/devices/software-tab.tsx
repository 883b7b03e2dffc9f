import { useQuery } from '@tanstack/react-query'
import { Button, Input, Table } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDay, formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import css from '@/pages/jobs/jobs.module.css'
import { useLiveRefresh } from '@/pages/jobs/use-live-refresh'
import { useTabParams } from '@/pages/jobs/use-tab-params'
import { useErrorText } from '@/resource/use-error-text'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { useDebounced } from '@/ui/use-debounced'
import { type InstalledSoftware, readSoftware } from './software-data'

const PAGE_SIZE = 25

type Props = { record: { id?: unknown; company_id?: unknown }; resource: string }

export function SoftwareTab({ record }: Props) {
  const { t } = useTranslation('devices')
  const language = useLanguage()
  const errorText = useErrorText()
  const deviceId = String(record.id)
  const companyId = String(record.company_id)
  const { params, setParams } = useTabParams(['software', 'software_page'])
  const [typed, setTyped] = useState(params.software ?? '')
  const text = useDebounced(typed)
  // A page number belongs to the text it was chosen under.
  const page = text === (params.software ?? '') ? Math.max(1, Number(params.software_page) || 1) : 1
  const queryKey = [companyId, 'software', 'device', deviceId]
  const query = useQuery({
    queryKey: [...queryKey, text, page],
    queryFn: () => readSoftware({ companyId, deviceId, text, page, pageSize: PAGE_SIZE }),
    placeholderData: (before) => before,
  })
  useLiveRefresh(companyId, ['device_software', 'software', 'devices'], queryKey)

  return (
    <div>
      <div className={css.toolbar}>
        <Input.Search
          allowClear
          value={typed}
          placeholder={t('software.search')}
          aria-label={t('software.search')}
          style={{ maxWidth: 360 }}
          onChange={(event) => setTyped(event.target.value)}
          onSearch={(value) => setParams({ software: value, software_page: '' })}
          loading={query.isFetching && !query.isPending}
        />
        {query.data ? (
          <span className={css.secondary}>
            {t('software.total', {
              count: query.data.total,
              shown: formatNumber(query.data.total, language),
            })}
          </span>
        ) : null}
      </div>
      {query.isPending ? (
        <LoadingState rows={8} />
      ) : query.data === undefined ? (
        <ErrorState text={errorText(query.error)} onRetry={() => query.refetch()} />
      ) : query.data.total === 0 ? (
        text ? (
          <EmptyState
            title={t('software.nothing', { text })}
            action={<Button onClick={() => setTyped('')}>{t('software.clear')}</Button>}
          />
        ) : (
          <EmptyState title={t('software.empty')} text={t('software.emptyText')} />
        )
      ) : (
        <Table<InstalledSoftware>
          size="middle"
          rowKey="id"
          dataSource={query.data.rows}
          pagination={{
            current: page,
            pageSize: PAGE_SIZE,
            total: query.data.total,
            showSizeChanger: false,
            hideOnSinglePage: true,
            onChange: (next) => setParams({ software: text, software_page: next === 1 ? '' : String(next) }),
          }}
          columns={[
            {
              title: t('software.name'),
              dataIndex: 'name',
              render: (name: string, row) => (
                <>
                  <div style={{ overflowWrap: 'anywhere' }}>{name}</div>
                  <div className={css.secondary}>{row.publisher}</div>
                </>
              ),
            },
            {
              title: t('software.version'),
              key: 'version',
              render: (_value, row) => (
                <span style={{ overflowWrap: 'anywhere' }}>
                  {row.installs.map((install) => install.version || '–').join(', ')}
                </span>
              ),
            },
            {
              title: t('software.installDate'),
              key: 'install_date',
              responsive: ['md'],
              render: (_value, { installs: [install] }) =>
                install?.install_date ? formatDay(install.install_date, language) : '–',
            },
            {
              title: t('software.size'),
              key: 'size',
              align: 'right',
              responsive: ['md'],
              render: (_value, row) => {
                const size = row.installs[0]?.size_mb
                return size === null || size === undefined
                  ? '–'
                  : formatNumber(Number(size), language, { maximumFractionDigits: 1 })
              },
            },
          ]}
        />
      )}
    </div>
  )
}
