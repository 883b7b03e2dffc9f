import ApartmentOutlined from '@ant-design/icons/es/icons/ApartmentOutlined'
import { useList } from '@refinedev/core'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { GuardedButton } from '@/access/guarded-button'
import { createPath } from '@/resource/language/naming'
import { useCompanyScope } from '@/session/use-company-scope'
import { EmptyState } from '@/ui/empty-state'

/** Whether there is no company yet, so that nothing that belongs to one can be made; noticed again once there is. */
export function useNeedsCompany(): boolean {
  const { hasNoCompany = false, refresh } = useCompanyScope()
  const { query } = useList({
    resource: 'companies',
    pagination: { pageSize: 1 },
    meta: { companyId: null, select: 'id', count: 'none' },
    queryOptions: { enabled: hasNoCompany },
  })
  const isMade = hasNoCompany && (query.data?.data.length ?? 0) > 0
  useEffect(() => {
    if (isMade) refresh?.()
  }, [isMade, refresh])
  return hasNoCompany && !isMade
}

/** The first step in a new console, in place of what needs a company. */
export function FirstCompany() {
  const { t } = useTranslation('engine')
  const navigate = useNavigate()
  return (
    <EmptyState
      icon={<ApartmentOutlined />}
      title={t('firstCompany.title')}
      text={t('firstCompany.text')}
      action={
        <GuardedButton
          resource="companies"
          action="create"
          type="primary"
          onClick={() => navigate(createPath({ name: 'companies' }))}
        >
          {t('firstCompany.create')}
        </GuardedButton>
      }
    />
  )
}
