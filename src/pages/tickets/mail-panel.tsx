import { useNotification } from '@refinedev/core'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useCan } from '@/access/use-can'
import { formatDateTime } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useRpc, useRpcCall } from '@/refine/use-rpc'
import { QueryState } from '@/resource/query-state'
import { useErrorText } from '@/resource/use-error-text'
import { useSingleCall } from '@/ui/use-single-call'
import css from './ticket-settings.module.css'

interface MailState {
  can_send: boolean
  /** Mails stay in the mailbox of the server, where nobody gets them. */
  is_local: boolean
  reads: 'webhook' | 'imap' | 'both' | null
  polled_at: string | null
  poll_error: string | null
  reply_address: string | null
  has_address: boolean
}

/** Whether the server sends and reads mail, how the last look into its mailbox went, and a mail to try it. */
export function MailPanel() {
  const { t } = useTranslation('tickets')
  const can = useCan()
  const language = useLanguage()
  const errorText = useErrorText()
  const { open } = useNotification()
  const call = useRpcCall()
  const isOpen = can('inbound_mails', 'list').allowed
  const query = useRpc<MailState | null>({ name: 'mail_state' }, { enabled: isOpen })
  const send = useSingleCall(async () => {
    try {
      const email = await call<string>('send_test_mail')
      open?.({ type: 'success', message: t('mail.tested', { email }) })
    } catch (error) {
      open?.({ type: 'error', message: t('mail.test'), description: errorText(error) })
    }
  })
  if (!isOpen) return null
  const state = query.data
  const hasMailbox = state?.reads === 'imap' || state?.reads === 'both'
  const time = state?.polled_at ? formatDateTime(state.polled_at, language) : ''
  return (
    <section className={css.panel} aria-labelledby="ticket-mail">
      <div className={css.head}>
        <h2 className={css.heading} id="ticket-mail">
          {t('mail.title')}
        </h2>
        {state?.can_send && can('inbound_mails', 'approve').allowed ? (
          <div className={css.buttons}>
            <Button onClick={() => void send()}>{t('mail.test')}</Button>
          </div>
        ) : null}
      </div>
      {query.error || query.isPending ? <QueryState query={query} rows={1} /> : null}
      {query.isSuccess ? (
        <>
          <p className={state?.can_send && !state.is_local ? css.text : css.problem}>
            {t(state?.is_local ? 'mail.isLocal' : state?.can_send ? 'mail.sends' : 'mail.noSend')}
          </p>
          <p className={css.text}>{t(state?.reads ? `mail.${state.reads}` : 'mail.noRead')}</p>
          {state?.reads ? (
            <>
              <p className={state.reply_address ? css.text : css.problem}>
                {state.reply_address
                  ? t('mail.replyTo', { address: state.reply_address })
                  : t('mail.noReply')}
              </p>
              {state.has_address ? null : <p className={css.problem}>{t('mail.noAddress')}</p>}
            </>
          ) : null}
          {hasMailbox ? (
            <p className={state.poll_error ? css.problem : css.text}>
              {state.poll_error
                ? t('mail.failed', { time, error: state.poll_error })
                : time
                  ? t('mail.polled', { time })
                  : t('mail.never')}
            </p>
          ) : null}
        </>
      ) : null}
    </section>
  )
}
