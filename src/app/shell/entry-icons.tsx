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
import { type ReactNode, Suspense } from 'react'
import type { Definition } from '@/resource/definition/definition.generated'
import { lazyPart } from '@/ui/load-chunk'

const AddedIcon = lazyPart(() =>
  import('@/app/shell/added-icons').then((module) => ({ default: module.AddedIcon })),
)

const ICONS: Readonly<Record<string, ReactNode>> = {
  '/': <DashboardOutlined />,
  '/devices': <LaptopOutlined />,
  '/agents': <DeploymentUnitOutlined />,
  '/procedures': <CodeOutlined />,
  '/monitors': <FundOutlined />,
  '/automation': <ThunderboltOutlined />,
  '/patch-management': <SafetyCertificateOutlined />,
  '/software-licenses': <AuditOutlined />,
  '/software-inventory': <DatabaseOutlined />,
  '/app-store': <AppstoreOutlined />,
  '/custom-commands': <MacCommandOutlined />,
  '/tickets': <CustomerServiceOutlined />,
  '/company-management': <ApartmentOutlined />,
  '/template-manager': <SnippetsOutlined />,
  '/system-license': <IdcardOutlined />,
  '/settings': <SettingOutlined />,
}

export function entryIcon(path: string): ReactNode {
  return ICONS[path] ?? <TableOutlined />
}

/** The icon that an added resource's definition names. */
export function addedIcon(name: Definition['icon']): ReactNode {
  if (!name) return <TableOutlined />
  return (
    <Suspense fallback={<TableOutlined />}>
      <AddedIcon name={name} />
    </Suspense>
  )
}
