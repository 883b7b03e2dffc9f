import ApartmentOutlined from '@ant-design/icons/es/icons/ApartmentOutlined'
import AppstoreOutlined from '@ant-design/icons/es/icons/AppstoreOutlined'
import AuditOutlined from '@ant-design/icons/es/icons/AuditOutlined'
import CodeOutlined from '@ant-design/icons/es/icons/CodeOutlined'
import CustomerServiceOutlined from '@ant-design/icons/es/icons/CustomerServiceOutlined'
import DashboardOutlined from '@ant-design/icons/es/icons/DashboardOutlined'
import DatabaseOutlined from '@ant-design/icons/es/icons/DatabaseOutlined'
import DeploymentUnitOutlined from '@ant-design/icons/es/icons/DeploymentUnitOutlined'
import FundOutlined from '@ant-design/icons/es/icons/FundOutlined'
import IdcardOutlined from '@ant-design/icons/es/icons/IdcardOutlined'
import LaptopOutlined from '@ant-design/icons/es/icons/LaptopOutlined'
import MacCommandOutlined from '@ant-design/icons/es/icons/MacCommandOutlined'
import SafetyCertificateOutlined from '@ant-design/icons/es/icons/SafetyCertificateOutlined'
import SettingOutlined from '@ant-design/icons/es/icons/SettingOutlined'
import SnippetsOutlined from '@ant-design/icons/es/icons/SnippetsOutlined'
import TableOutlined from '@ant-design/icons/es/icons/TableOutlined'
import ThunderboltOutlined from '@ant-design/icons/es/icons/ThunderboltOutlined'
import { type ComponentType, Suspense } from 'react'
import type { IconName } from '@/app/pages'
import { lazyPart } from '@/ui/load-chunk'

const AddedIcon = lazyPart(() =>
  import('@/resource/named-icons').then((module) => ({ default: module.NamedIcon })),
)

/** Icons of the built-in entries, which the first page shows. All others are loaded when first shown. */
const AT_ONCE: Partial<Readonly<Record<IconName, ComponentType>>> = {
  apartment: ApartmentOutlined,
  appstore: AppstoreOutlined,
  audit: AuditOutlined,
  code: CodeOutlined,
  'customer-service': CustomerServiceOutlined,
  dashboard: DashboardOutlined,
  database: DatabaseOutlined,
  'deployment-unit': DeploymentUnitOutlined,
  fund: FundOutlined,
  idcard: IdcardOutlined,
  laptop: LaptopOutlined,
  'mac-command': MacCommandOutlined,
  'safety-certificate': SafetyCertificateOutlined,
  setting: SettingOutlined,
  snippets: SnippetsOutlined,
  thunderbolt: ThunderboltOutlined,
}

/** A page's icon by its name, or a table by default. */
export function MenuIcon({ name }: { name: IconName | null | undefined }) {
  if (!name) return <TableOutlined />
  const Icon = AT_ONCE[name]
  if (Icon) return <Icon />
  return (
    <Suspense fallback={<TableOutlined />}>
      <AddedIcon name={name} />
    </Suspense>
  )
}
