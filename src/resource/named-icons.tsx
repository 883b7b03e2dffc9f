import AlertOutlined from '@ant-design/icons/es/icons/AlertOutlined'
import ApartmentOutlined from '@ant-design/icons/es/icons/ApartmentOutlined'
import ApiOutlined from '@ant-design/icons/es/icons/ApiOutlined'
import AppstoreOutlined from '@ant-design/icons/es/icons/AppstoreOutlined'
import AuditOutlined from '@ant-design/icons/es/icons/AuditOutlined'
import BankOutlined from '@ant-design/icons/es/icons/BankOutlined'
import BarChartOutlined from '@ant-design/icons/es/icons/BarChartOutlined'
import BellOutlined from '@ant-design/icons/es/icons/BellOutlined'
import BookOutlined from '@ant-design/icons/es/icons/BookOutlined'
import BugOutlined from '@ant-design/icons/es/icons/BugOutlined'
import BuildOutlined from '@ant-design/icons/es/icons/BuildOutlined'
import BulbOutlined from '@ant-design/icons/es/icons/BulbOutlined'
import CalendarOutlined from '@ant-design/icons/es/icons/CalendarOutlined'
import CarOutlined from '@ant-design/icons/es/icons/CarOutlined'
import CheckCircleOutlined from '@ant-design/icons/es/icons/CheckCircleOutlined'
import CheckOutlined from '@ant-design/icons/es/icons/CheckOutlined'
import ClockCircleOutlined from '@ant-design/icons/es/icons/ClockCircleOutlined'
import CloseOutlined from '@ant-design/icons/es/icons/CloseOutlined'
import CloudOutlined from '@ant-design/icons/es/icons/CloudOutlined'
import ClusterOutlined from '@ant-design/icons/es/icons/ClusterOutlined'
import CodeOutlined from '@ant-design/icons/es/icons/CodeOutlined'
import CompassOutlined from '@ant-design/icons/es/icons/CompassOutlined'
import ContactsOutlined from '@ant-design/icons/es/icons/ContactsOutlined'
import ContainerOutlined from '@ant-design/icons/es/icons/ContainerOutlined'
import ControlOutlined from '@ant-design/icons/es/icons/ControlOutlined'
import CreditCardOutlined from '@ant-design/icons/es/icons/CreditCardOutlined'
import CustomerServiceOutlined from '@ant-design/icons/es/icons/CustomerServiceOutlined'
import DashboardOutlined from '@ant-design/icons/es/icons/DashboardOutlined'
import DatabaseOutlined from '@ant-design/icons/es/icons/DatabaseOutlined'
import DeleteOutlined from '@ant-design/icons/es/icons/DeleteOutlined'
import DeploymentUnitOutlined from '@ant-design/icons/es/icons/DeploymentUnitOutlined'
import DesktopOutlined from '@ant-design/icons/es/icons/DesktopOutlined'
import DollarOutlined from '@ant-design/icons/es/icons/DollarOutlined'
import DownloadOutlined from '@ant-design/icons/es/icons/DownloadOutlined'
import EnvironmentOutlined from '@ant-design/icons/es/icons/EnvironmentOutlined'
import ExperimentOutlined from '@ant-design/icons/es/icons/ExperimentOutlined'
import EyeOutlined from '@ant-design/icons/es/icons/EyeOutlined'
import FileOutlined from '@ant-design/icons/es/icons/FileOutlined'
import FileTextOutlined from '@ant-design/icons/es/icons/FileTextOutlined'
import FireOutlined from '@ant-design/icons/es/icons/FireOutlined'
import FlagOutlined from '@ant-design/icons/es/icons/FlagOutlined'
import FolderOutlined from '@ant-design/icons/es/icons/FolderOutlined'
import FundOutlined from '@ant-design/icons/es/icons/FundOutlined'
import GiftOutlined from '@ant-design/icons/es/icons/GiftOutlined'
import GlobalOutlined from '@ant-design/icons/es/icons/GlobalOutlined'
import HddOutlined from '@ant-design/icons/es/icons/HddOutlined'
import HeartOutlined from '@ant-design/icons/es/icons/HeartOutlined'
import HomeOutlined from '@ant-design/icons/es/icons/HomeOutlined'
import IdcardOutlined from '@ant-design/icons/es/icons/IdcardOutlined'
import InboxOutlined from '@ant-design/icons/es/icons/InboxOutlined'
import InsuranceOutlined from '@ant-design/icons/es/icons/InsuranceOutlined'
import KeyOutlined from '@ant-design/icons/es/icons/KeyOutlined'
import LaptopOutlined from '@ant-design/icons/es/icons/LaptopOutlined'
import LinkOutlined from '@ant-design/icons/es/icons/LinkOutlined'
import LockOutlined from '@ant-design/icons/es/icons/LockOutlined'
import MacCommandOutlined from '@ant-design/icons/es/icons/MacCommandOutlined'
import MailOutlined from '@ant-design/icons/es/icons/MailOutlined'
import MessageOutlined from '@ant-design/icons/es/icons/MessageOutlined'
import MobileOutlined from '@ant-design/icons/es/icons/MobileOutlined'
import NotificationOutlined from '@ant-design/icons/es/icons/NotificationOutlined'
import PartitionOutlined from '@ant-design/icons/es/icons/PartitionOutlined'
import PauseOutlined from '@ant-design/icons/es/icons/PauseOutlined'
import PhoneOutlined from '@ant-design/icons/es/icons/PhoneOutlined'
import PictureOutlined from '@ant-design/icons/es/icons/PictureOutlined'
import PlayCircleOutlined from '@ant-design/icons/es/icons/PlayCircleOutlined'
import PoweroffOutlined from '@ant-design/icons/es/icons/PoweroffOutlined'
import PrinterOutlined from '@ant-design/icons/es/icons/PrinterOutlined'
import ProfileOutlined from '@ant-design/icons/es/icons/ProfileOutlined'
import ProjectOutlined from '@ant-design/icons/es/icons/ProjectOutlined'
import ReadOutlined from '@ant-design/icons/es/icons/ReadOutlined'
import ReloadOutlined from '@ant-design/icons/es/icons/ReloadOutlined'
import RobotOutlined from '@ant-design/icons/es/icons/RobotOutlined'
import RocketOutlined from '@ant-design/icons/es/icons/RocketOutlined'
import SafetyCertificateOutlined from '@ant-design/icons/es/icons/SafetyCertificateOutlined'
import SafetyOutlined from '@ant-design/icons/es/icons/SafetyOutlined'
import ScanOutlined from '@ant-design/icons/es/icons/ScanOutlined'
import ScheduleOutlined from '@ant-design/icons/es/icons/ScheduleOutlined'
import SecurityScanOutlined from '@ant-design/icons/es/icons/SecurityScanOutlined'
import SendOutlined from '@ant-design/icons/es/icons/SendOutlined'
import SettingOutlined from '@ant-design/icons/es/icons/SettingOutlined'
import ShopOutlined from '@ant-design/icons/es/icons/ShopOutlined'
import ShoppingOutlined from '@ant-design/icons/es/icons/ShoppingOutlined'
import SnippetsOutlined from '@ant-design/icons/es/icons/SnippetsOutlined'
import SolutionOutlined from '@ant-design/icons/es/icons/SolutionOutlined'
import StarOutlined from '@ant-design/icons/es/icons/StarOutlined'
import StopOutlined from '@ant-design/icons/es/icons/StopOutlined'
import SyncOutlined from '@ant-design/icons/es/icons/SyncOutlined'
import TableOutlined from '@ant-design/icons/es/icons/TableOutlined'
import TabletOutlined from '@ant-design/icons/es/icons/TabletOutlined'
import TagOutlined from '@ant-design/icons/es/icons/TagOutlined'
import TagsOutlined from '@ant-design/icons/es/icons/TagsOutlined'
import TeamOutlined from '@ant-design/icons/es/icons/TeamOutlined'
import ThunderboltOutlined from '@ant-design/icons/es/icons/ThunderboltOutlined'
import ToolOutlined from '@ant-design/icons/es/icons/ToolOutlined'
import TrophyOutlined from '@ant-design/icons/es/icons/TrophyOutlined'
import TruckOutlined from '@ant-design/icons/es/icons/TruckOutlined'
import UndoOutlined from '@ant-design/icons/es/icons/UndoOutlined'
import UsbOutlined from '@ant-design/icons/es/icons/UsbOutlined'
import UserOutlined from '@ant-design/icons/es/icons/UserOutlined'
import VideoCameraOutlined from '@ant-design/icons/es/icons/VideoCameraOutlined'
import WalletOutlined from '@ant-design/icons/es/icons/WalletOutlined'
import WarningOutlined from '@ant-design/icons/es/icons/WarningOutlined'
import WifiOutlined from '@ant-design/icons/es/icons/WifiOutlined'
import type { ComponentType } from 'react'
import type { Definition } from '@/resource/language/definition.generated'

export type IconName = NonNullable<Definition['icon']>

/** The icons a definition may name. A separate file, loaded with the first that is drawn. */
const ICONS: Readonly<Record<IconName, ComponentType<{ 'aria-hidden'?: 'true' }>>> = {
  alert: AlertOutlined,
  apartment: ApartmentOutlined,
  api: ApiOutlined,
  appstore: AppstoreOutlined,
  audit: AuditOutlined,
  bank: BankOutlined,
  'bar-chart': BarChartOutlined,
  bell: BellOutlined,
  book: BookOutlined,
  bug: BugOutlined,
  build: BuildOutlined,
  bulb: BulbOutlined,
  calendar: CalendarOutlined,
  car: CarOutlined,
  'check-circle': CheckCircleOutlined,
  'clock-circle': ClockCircleOutlined,
  cloud: CloudOutlined,
  cluster: ClusterOutlined,
  code: CodeOutlined,
  compass: CompassOutlined,
  contacts: ContactsOutlined,
  container: ContainerOutlined,
  control: ControlOutlined,
  'credit-card': CreditCardOutlined,
  'customer-service': CustomerServiceOutlined,
  dashboard: DashboardOutlined,
  database: DatabaseOutlined,
  'deployment-unit': DeploymentUnitOutlined,
  desktop: DesktopOutlined,
  dollar: DollarOutlined,
  environment: EnvironmentOutlined,
  experiment: ExperimentOutlined,
  eye: EyeOutlined,
  file: FileOutlined,
  'file-text': FileTextOutlined,
  fire: FireOutlined,
  flag: FlagOutlined,
  folder: FolderOutlined,
  fund: FundOutlined,
  gift: GiftOutlined,
  global: GlobalOutlined,
  hdd: HddOutlined,
  heart: HeartOutlined,
  home: HomeOutlined,
  idcard: IdcardOutlined,
  inbox: InboxOutlined,
  insurance: InsuranceOutlined,
  key: KeyOutlined,
  laptop: LaptopOutlined,
  link: LinkOutlined,
  lock: LockOutlined,
  'mac-command': MacCommandOutlined,
  mail: MailOutlined,
  message: MessageOutlined,
  mobile: MobileOutlined,
  notification: NotificationOutlined,
  partition: PartitionOutlined,
  phone: PhoneOutlined,
  picture: PictureOutlined,
  printer: PrinterOutlined,
  profile: ProfileOutlined,
  project: ProjectOutlined,
  read: ReadOutlined,
  robot: RobotOutlined,
  rocket: RocketOutlined,
  safety: SafetyOutlined,
  'safety-certificate': SafetyCertificateOutlined,
  scan: ScanOutlined,
  schedule: ScheduleOutlined,
  'security-scan': SecurityScanOutlined,
  setting: SettingOutlined,
  shop: ShopOutlined,
  shopping: ShoppingOutlined,
  snippets: SnippetsOutlined,
  solution: SolutionOutlined,
  star: StarOutlined,
  table: TableOutlined,
  tablet: TabletOutlined,
  tag: TagOutlined,
  tags: TagsOutlined,
  team: TeamOutlined,
  thunderbolt: ThunderboltOutlined,
  tool: ToolOutlined,
  trophy: TrophyOutlined,
  truck: TruckOutlined,
  download: DownloadOutlined,
  delete: DeleteOutlined,
  poweroff: PoweroffOutlined,
  reload: ReloadOutlined,
  usb: UsbOutlined,
  user: UserOutlined,
  'video-camera': VideoCameraOutlined,
  wallet: WalletOutlined,
  warning: WarningOutlined,
  wifi: WifiOutlined,
  undo: UndoOutlined,
  sync: SyncOutlined,
  stop: StopOutlined,
  send: SendOutlined,
  play: PlayCircleOutlined,
  pause: PauseOutlined,
  close: CloseOutlined,
  check: CheckOutlined,
}

/** An icon beside a text that says the same. */
export function NamedIcon({ name }: { name: IconName }) {
  const Icon = ICONS[name] ?? TableOutlined
  return <Icon aria-hidden="true" />
}
