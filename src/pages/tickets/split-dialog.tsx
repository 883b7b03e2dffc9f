import { useList, useNotification } from '@refinedev/core'
import { Form, Input, Modal, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { TableRow } from '@/data/database'
import { formatDateTime } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useCache } from '@/refine/use-cache'
import { useRpcCall } from '@/refine/use-rpc'
import type { DialogProps } from '@/resource/engine-context'
import { QueryState } from '@/resource/query-state'
import { useErrorText } from '@/resource/use-error-text'
import { useSingleCall } from '@/ui/use-single-call'

/** The newest replies: what is split off was just written. */
const MAX_REPLIES = 50
const MAX_SUBJECT = 200
const PREVIEW = 80

type Reply = Pick<TableRow<'ticket_comments'>, 'id' | 'body' | 'author_name' | 'created_at'>

/** Makes a ticket from a reply of this one, and opens it. */
export function SplitDialog({ records, resource, comment, onClose }: DialogProps) {
  const { t } = useTranslation(['tickets', 'engine'])
  const language = useLanguage()
  const errorText = useErrorText()
  const { open } = useNotification()
  const call = useRpcCall()
  const cache = useCache()
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<string | null>(comment ?? null)
  const source: unknown = records[0]?.subject
  const [subject, setSubject] = useState(typeof source === 'string' ? source : '')
  const [isBusy, setBusy] = useState(false)
  const { query } = useList<Reply>({
    resource: 'ticket_comments',
    filters: [
      { field: 'ticket_id', operator: 'eq', value: String(records[0]?.id ?? '') },
      { field: 'kind', operator: 'eq', value: 'reply' },
      ...(comment ? [{ field: 'id', operator: 'eq', value: comment } as const] : []),
    ],
    sorters: [{ field: 'created_at', order: 'desc' }],
    pagination: { currentPage: 1, pageSize: MAX_REPLIES, mode: 'server' },
    meta: { select: 'id,body,author_name,created_at', count: 'none' },
  })
  const replies = query.data?.data ?? []
  const split = useSingleCall(async () => {
    setBusy(true)
    try {
      const id = await call<string>('split_ticket', { comment_id: chosen, subject: subject.trim() })
      open?.({ type: 'success', message: t('split.done') })
      await cache.invalidate(resource)
      onClose()
      navigate(`/tickets/${id}`)
    } catch (error) {
      open?.({ type: 'error', message: t('split.title'), description: errorText(error) })
      setBusy(false)
    }
  })
  return (
    <Modal
      open
      title={t('split.title')}
      okText={t('split.ok')}
      cancelText={t('engine:action.cancel')}
      okButtonProps={{ disabled: chosen === null || subject.trim() === '' }}
      confirmLoading={isBusy}
      onOk={() => void split()}
      onCancel={onClose}
    >
      <p>{t('split.text')}</p>
      {query.data ? (
        replies.length === 0 ? (
          <p>{t('split.none')}</p>
        ) : (
          <Form layout="vertical">
            <Form.Item required label={t('split.reply')} htmlFor="split-reply">
              <Select
                id="split-reply"
                aria-required
                showSearch={{ optionFilterProp: 'label' }}
                value={chosen}
                options={replies.map((reply) => ({
                  value: reply.id,
                  label: `${reply.author_name ?? ''} · ${formatDateTime(reply.created_at, language)} · ${reply.body.slice(0, PREVIEW)}`,
                }))}
                onChange={setChosen}
              />
            </Form.Item>
            <Form.Item required label={t('split.subject')} htmlFor="split-subject">
              <Input
                id="split-subject"
                aria-required
                maxLength={MAX_SUBJECT}
                value={subject}
                onChange={({ target }) => setSubject(target.value)}
              />
            </Form.Item>
          </Form>
        )
      ) : (
        <QueryState query={query} rows={2} />
      )}
    </Modal>
  )
}
