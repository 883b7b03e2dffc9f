import { Modal } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { MatchingRows } from '@/resource/engine-context'
import { QueryState } from '@/resource/query-state'
import { type TargetPreset, useTargetPreset } from '@/runs/targets/target-data'

interface TaskModalProps {
  title: string
  /** `devices` or `groups`: what the ids are. */
  resource: string
  ids: readonly string[]
  /** In place of ids: all devices of a list's filter. */
  matching?: MatchingRows | undefined
  /** Called when the devices are known. */
  children: (preset: TargetPreset) => ReactNode
  onClose: () => void
}

/** A dialog over the chosen devices or groups, or the devices of a filter. */
export function TaskModal({ title, resource, ids, matching, children, onClose }: TaskModalProps) {
  // Loads the texts of its later steps at once: loading them then would suspend the dialog.
  useTranslation(['devices', 'procedures', 'jobs', 'access'])
  const targets = useTargetPreset(resource, ids, matching)
  return (
    <Modal open title={title} onCancel={onClose} footer={null} width={640}>
      {targets.data ? children(targets.data) : <QueryState query={targets} rows={4} />}
    </Modal>
  )
}
