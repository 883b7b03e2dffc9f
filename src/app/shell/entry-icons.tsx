import ApartmentOutlined from '@ant-design/icons/es/icons/ApartmentOutlined'
import AppstoreOutlined from '@ant-design/icons/es/icons/AppstoreOutlined'
import CodeOutlined from '@ant-design/icons/es/icons/CodeOutlined'
import ConsoleSqlOutlined from '@ant-design/icons/es/icons/ConsoleSqlOutlined'
import CustomerServiceOutlined from '@ant-design/icons/es/icons/CustomerServiceOutlined'
import DashboardOutlined from '@ant-design/icons/es/icons/DashboardOutlined'
import DatabaseOutlined from '@ant-design/icons/es/icons/DatabaseOutlined'
import DeploymentUnitOutlined from '@ant-design/icons/es/icons/DeploymentUnitOutlined'
import IdcardOutlined from '@ant-design/icons/es/icons/IdcardOutlined'
import KeyOutlined from '@ant-design/icons/es/icons/KeyOutlined'
import LaptopOutlined from '@ant-design/icons/es/icons/LaptopOutlined'
import MonitorOutlined from '@ant-design/icons/es/icons/MonitorOutlined'
import SafetyCertificateOutlined from '@ant-design/icons/es/icons/SafetyCertificateOutlined'
import SettingOutlined from '@ant-design/icons/es/icons/SettingOutlined'
import SnippetsOutlined from '@ant-design/icons/es/icons/SnippetsOutlined'
import TableOutlined from '@ant-design/icons/es/icons/TableOutlined'
import ThunderboltOutlined from '@ant-design/icons/es/icons/ThunderboltOutlined'
import type { ReactNode } from 'react'

const ICONS: Readonly<Record<string, ReactNode>> = {
  '/': <DashboardOutlined />,
  '/devices': <LaptopOutlined />,
  '/agents': <DeploymentUnitOutlined />,
  '/procedures': <CodeOutlined />,
  '/monitors': <MonitorOutlined />,
  '/automation': <ThunderboltOutlined />,
  '/patch-management': <SafetyCertificateOutlined />,
  '/software-licenses': <KeyOutlined />,
  '/software-inventory': <DatabaseOutlined />,
  '/app-store': <AppstoreOutlined />,
  '/custom-commands': <ConsoleSqlOutlined />,
  '/tickets': <CustomerServiceOutlined />,
  '/company-management': <ApartmentOutlined />,
  '/template-manager': <SnippetsOutlined />,
  '/system-license': <IdcardOutlined />,
  '/settings': <SettingOutlined />,
}

/** Added resources share one: a definition's own icon would bring the whole icon set into the page. */
export function entryIcon(path: string): ReactNode {
  return ICONS[path] ?? <TableOutlined />
}
