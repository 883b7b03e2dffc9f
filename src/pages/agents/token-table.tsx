import { Table, type TableProps } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { GuardedConfirmButton } from '@/pages/jobs/guarded-confirm-button'
import { useErrorText } from '@/resource/use-error-text'
import { useCompanyScope } from '@/session/use-company-scope'
import { useNotify } from '@/ui/notify'
import { RelativeTime } from '@/ui/relative-time'
import { StatusTag, type Tone } from '@/ui/status-tag'
import css from './agents.module.css'
import { type EnrollmentToken, revokeToken } from './token-data'
import { type TokenState, tokenState } from './token-state'

const TONES: Record<TokenState, Tone> = {
  active: 'success',
  revoked: 'error',
  expired: 'neutral',
  used_up: 'neutral',
}

type Props = {
  tokens: EnrollmentToken[]
  names: Map<string, string> | undefined
  total: number
  page: number
  pageSize: number
  onPage: (page: number) => void
  onChanged: () => Promise<unknown>
}

export function TokenTable({ tokens, names, total, page, pageSize, onPage, onChanged }: Props) {
  const { t } = useTranslation('agents')
  const language = useLanguage()
  const { companyId } = useCompanyScope()
  const now = Date.now()
  const uses = ({ used_count: used, max_uses: most }: EnrollmentToken): string =>
    most === null
      ? formatNumber(used, language)
      : t('tokens.usedOf', { used: formatNumber(used, language), most: formatNumber(most, language) })
  const company: TableProps<EnrollmentToken>['columns'] =
    companyId === null
      ? [
          {
            title: t('tokens.company'),
            key: 'company',
            responsive: ['md'],
            render: (_value, token) => token.company?.name ?? '–',
          },
        ]
      : []
  return (
    <Table<EnrollmentToken>
      size="middle"
      rowKey="id"
      dataSource={tokens}
      pagination={{
        current: page,
        pageSize,
        total,
        onChange: onPage,
        showSizeChanger: false,
        hideOnSinglePage: true,
      }}
      columns={[
        {
          title: t('tokens.name'),
          key: 'name',
          render: (_value, token) => (
            <>
              <div style={{ fontWeight: 500, overflowWrap: 'anywhere' }}>{token.name}</div>
              <div className={css.text}>
                <code>…{token.hint}</code>
                {/* What the hidden columns say, where there is no room for them. */}
                <span className={css.narrow}>
                  {' '}
                  · {uses(token)} · <Expiry token={token} />
                </span>
              </div>
            </>
          ),
        },
        {
          title: t('tokens.state'),
          key: 'state',
          render: (_value, token) => {
            const state = tokenState(token, now)
            return <StatusTag tone={TONES[state]}>{t(`state.${state}`)}</StatusTag>
          },
        },
        ...company,
        {
          title: t('tokens.group'),
          key: 'group',
          responsive: ['lg'],
          render: (_value, token) =>
            token.group ? <Link to={`/groups/${token.group.id}`}>{token.group.name}</Link> : '–',
        },
        {
          title: t('tokens.used'),
          key: 'used',
          responsive: ['md'],
          render: (_value, token) => uses(token),
        },
        {
          title: t('tokens.expires'),
          key: 'expires',
          responsive: ['md'],
          render: (_value, token) => <Expiry token={token} />,
        },
        {
          title: t('tokens.createdBy'),
          key: 'created',
          responsive: ['xl'],
          render: (_value, token) => (
            <>
              <div>{(token.created_by && names?.get(token.created_by)) ?? '–'}</div>
              <div className={css.text}>
                <RelativeTime value={token.created_at} />
              </div>
            </>
          ),
        },
        {
          key: 'actions',
          align: 'right',
          width: 1,
          title: <span className="k-visually-hidden">{t('tokens.actions')}</span>,
          render: (_value, token) =>
            token.revoked_at === null ? <RevokeButton token={token} onChanged={onChanged} /> : null,
        },
      ]}
    />
  )
}

function Expiry({ token }: { token: EnrollmentToken }) {
  const { t } = useTranslation('agents')
  return token.expires_at === null ? t('tokens.never') : <RelativeTime value={token.expires_at} />
}

function RevokeButton({ token, onChanged }: { token: EnrollmentToken; onChanged: () => Promise<unknown> }) {
  const { t } = useTranslation('agents')
  const notify = useNotify()
  const errorText = useErrorText()
  return (
    <GuardedConfirmButton
      resource="enrollment_tokens"
      action="delete"
      size="small"
      danger
      title={t('tokens.revokeTitle', { name: token.name })}
      text={t('tokens.revokeText')}
      okText={t('tokens.revoke')}
      aria-label={t('tokens.revokeOf', { name: token.name })}
      onConfirm={() =>
        revokeToken(token.id).then(onChanged, (error: unknown) => {
          notify({ type: 'error', title: t('tokens.revokeFailed'), description: errorText(error) })
          return onChanged()
        })
      }
    >
      {t('tokens.revoke')}
    </GuardedConfirmButton>
  )
}
