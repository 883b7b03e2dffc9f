import { useNotification } from '@refinedev/core'
import { Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatConjunction } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useCache } from '@/refine/use-cache'
import { useRpc, useRpcCall } from '@/refine/use-rpc'
import type { DialogProps } from '@/resource/engine-context'
import { useErrorText } from '@/resource/use-error-text'
import { useSession } from '@/session/use-session'
import { useSingleCall } from '@/ui/use-single-call'

const HELD_WORK = ['scheduled_tasks', 'automations', 'monitors', 'policies'] as const
type HeldWork = (typeof HELD_WORK)[number]

/** Deactivates accounts. It says which open tickets would be left with people who cannot sign in, and what pauses without their right. */
export function DeactivateUsersDialog({ records, onClose, onDone = onClose }: DialogProps) {
  const { t } = useTranslation(['tickets', 'resources', 'engine'])
  const language = useLanguage()
  const errorText = useErrorText()
  const { open } = useNotification()
  const call = useRpcCall()
  const cache = useCache()
  const { user } = useSession()
  const [isBusy, setBusy] = useState(false)
  const people = records.filter(({ id, status }) => id !== user?.id && status !== 'deactivated')
  const ids = people.map(({ id }) => String(id))
  const tickets = useRpc<number>(
    { name: 'open_tickets_of', args: { ids }, resource: 'tickets' },
    { enabled: ids.length > 0 },
  )
  const held = useRpc<Record<HeldWork, number>>(
    { name: 'work_held_by', args: { ids }, resource: 'scheduled_tasks' },
    { enabled: ids.length > 0 },
  )
  const list = HELD_WORK.filter((kind) => (held.data?.[kind] ?? 0) > 0).map((kind) =>
    t(`deactivate.${kind}`, { count: held.data?.[kind] ?? 0 }),
  )
  const action = t('resources:users.actions.deactivate')
  const names = people.length === 1 && people[0]?.name ? String(people[0].name) : undefined
  const counted = t('deactivate.users', { count: ids.length })

  const deactivate = useSingleCall(async () => {
    setBusy(true)
    try {
      await call('deactivate_users', { ids })
      open?.({ type: 'success', message: t('resources:users.done.deactivate', { count: ids.length }) })
      // Pickers of people read the names alone.
      await Promise.all([cache.invalidate('users'), cache.invalidate('people')])
      onDone()
    } catch (error) {
      open?.({
        type: 'error',
        message: t('engine:action.failed', { action }),
        description: errorText(error),
      })
      setBusy(false)
    }
  })

  return (
    <Modal
      open
      title={t('engine:action.confirmTitle', { action, records: names ?? counted })}
      okText={action}
      cancelText={t('engine:action.cancel')}
      okButtonProps={{ danger: true, disabled: ids.length === 0 || tickets.isLoading || held.isLoading }}
      confirmLoading={isBusy}
      onOk={() => void deactivate()}
      onCancel={onClose}
    >
      <p>{t('resources:users.confirm.deactivate')}</p>
      {tickets.data ? (
        <p role="status">
          <strong>{t('deactivate.tickets', { count: tickets.data })}</strong>
        </p>
      ) : null}
      {list.length > 0 ? (
        <p role="status">
          <strong>{t('deactivate.held', { list: formatConjunction(list, language) })}</strong>
        </p>
      ) : null}
      {held.error ? <p role="alert">{errorText(held.error)}</p> : null}
      {tickets.error ? <p role="alert">{errorText(tickets.error)}</p> : null}
    </Modal>
  )
}
