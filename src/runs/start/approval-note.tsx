import { Alert } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useRpc } from '@/refine/use-rpc'
import type { ChosenTarget } from '@/runs/targets/target-picker'

interface ApprovalPreview {
  /** The number of chosen devices whose policy asks for an approval that the newest version does not have. */
  devices: number
  number: number
  declined_by: string | null
}

interface ApprovalNoteProps {
  procedure: { id: string; company_id: string }
  chosen: ChosenTarget
}

/** Says before a run that devices will wait for a second person, or will refuse a declined version. */
export function ApprovalNote({ procedure, chosen }: ApprovalNoteProps) {
  const { t } = useTranslation('procedures')
  const language = useLanguage()
  const { args } = chosen.callOf('run_procedure', {})
  const total = chosen.selection?.count ?? 0
  const { data } = useRpc<ApprovalPreview>(
    {
      name: 'preview_approval',
      args: {
        procedure_id: procedure.id,
        ...('target' in args ? { target: args.target } : { device_ids: args.device_ids }),
      },
      resource: 'procedures',
      companyId: procedure.company_id,
    },
    { enabled: total > 0 },
  )
  // The preview helps; a failed one keeps nobody from running a script.
  if (!data || data.devices === 0) return null
  const words = {
    number: data.number,
    name: data.declined_by ?? '',
    count: data.devices,
    waiting: formatNumber(data.devices, language),
    total: formatNumber(total, language),
  }
  const isAll = data.devices >= total
  const title =
    data.declined_by === null
      ? t(isAll ? 'run.approval.all' : 'run.approval.some', words)
      : t(isAll ? 'run.approval.declinedAll' : 'run.approval.declinedSome', words)
  return (
    <Alert type={data.declined_by === null ? 'info' : 'warning'} showIcon title={title} className="l-above" />
  )
}
