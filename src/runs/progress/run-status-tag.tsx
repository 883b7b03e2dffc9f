import CheckCircleOutlined from '@ant-design/icons/es/icons/CheckCircleOutlined'
import ClockCircleOutlined from '@ant-design/icons/es/icons/ClockCircleOutlined'
import CloseCircleOutlined from '@ant-design/icons/es/icons/CloseCircleOutlined'
import FieldTimeOutlined from '@ant-design/icons/es/icons/FieldTimeOutlined'
import MinusCircleOutlined from '@ant-design/icons/es/icons/MinusCircleOutlined'
import SyncOutlined from '@ant-design/icons/es/icons/SyncOutlined'
import type { ReactNode } from 'react'
import { useValueWord } from '@/resource/language/words'
import { StatusTag, type Tone } from '@/ui/status-tag'
import { isRunStatus, type RunStatus } from './run-status'

const LOOKS: Record<RunStatus, { tone: Tone; icon: ReactNode }> = {
  queued: { tone: 'neutral', icon: <ClockCircleOutlined aria-hidden /> },
  claimed: { tone: 'info', icon: <ClockCircleOutlined aria-hidden /> },
  running: { tone: 'info', icon: <SyncOutlined spin aria-hidden /> },
  succeeded: { tone: 'success', icon: <CheckCircleOutlined aria-hidden /> },
  failed: { tone: 'error', icon: <CloseCircleOutlined aria-hidden /> },
  timed_out: { tone: 'error', icon: <FieldTimeOutlined aria-hidden /> },
  cancelled: { tone: 'neutral', icon: <MinusCircleOutlined aria-hidden /> },
  expired: { tone: 'warning', icon: <FieldTimeOutlined aria-hidden /> },
}

/** Never by color alone: each state has its own icon and word. */
export function RunStatusTag({ status }: { status: string }) {
  const word = useValueWord('job_runs', 'status')
  if (!isRunStatus(status)) return <StatusTag>{status}</StatusTag>
  const look = LOOKS[status]
  return (
    <StatusTag tone={look.tone}>
      {look.icon} {word(status)}
    </StatusTag>
  )
}
