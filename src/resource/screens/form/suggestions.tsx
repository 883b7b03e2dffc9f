import { useNotification, useOne } from '@refinedev/core'
import { Button, Form, Modal } from 'antd'
import { Suspense, useLayoutEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCan } from '@/access/use-can'
import type { Row } from '@/data/rows'
import { useRpc, useRpcCall } from '@/refine/use-rpc'
import { MarkdownText } from '@/resource/fields/markdown/view'
import type { Definition, Form as FormSettings } from '@/resource/language/definition.generated'
import { listPath, tableOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { useWords } from '@/resource/language/words'
import { QueryState } from '@/resource/query-state'
import { actionsOn, rpcCalls } from '@/resource/request/filter/actions'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { PartLoading } from '@/ui/loading-state'
import { useDebounced } from '@/ui/use-debounced'
import '@/resource/screens/form/cards.css'

const PAUSE_MS = 400
/** Fewer letters are no question yet. */
const MIN_LETTERS = 3

interface SuggestionsProps {
  definition: Definition
  suggest: NonNullable<FormSettings['suggest']>
  record: Row
}

/** Records that may answer what somebody types, in one request after a pause. A failure shows nothing: the form works without. */
export function Suggestions({ definition, suggest, record }: SuggestionsProps) {
  const { t } = useTranslation('engine')
  const can = useCan()
  const { companyId } = useResourceScope()
  const target = findDefinition(suggest.resource)
  const typed = typeof record[suggest.by] === 'string' ? String(record[suggest.by]).trim() : ''
  const q = useDebounced(typed, PAUSE_MS)
  const isAsked = q.length >= MIN_LETTERS && target !== null && can(suggest.resource, 'list').allowed
  const company = typeof record.company_id === 'string' ? record.company_id : companyId
  const { data } = useRpc<{ id: string; title: string }[]>(
    { name: suggest.rpc, args: { q, company }, resource: suggest.resource },
    { enabled: isAsked, staleTime: 60_000, placeholderData: (previous) => previous },
  )
  const [open, setOpen] = useState<{ id: string; title: string } | null>(null)
  const found = isAsked ? (data ?? []) : []
  // An article that is found late takes room above the field that somebody has gone on to: on a phone, behind its keyboard.
  useLayoutEffect(() => {
    if (found.length > 0) document.activeElement?.scrollIntoView({ block: 'nearest' })
  }, [found.length])
  if (!target || (found.length === 0 && !open)) return null
  return (
    <>
      {found.length > 0 ? (
        <section className="k-suggestions" aria-live="polite">
          <h3>{t('form.suggestions')}</h3>
          <ul>
            {found.map((each) => (
              <li key={each.id}>
                <button type="button" className="k-link-button" onClick={() => setOpen(each)}>
                  {each.title}
                </button>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      {open ? (
        <Suggested {...{ definition, suggest, target }} {...open} onClose={() => setOpen(null)} />
      ) : null}
    </>
  )
}

interface SuggestedProps {
  definition: Definition
  suggest: SuggestionsProps['suggest']
  target: Definition
  id: string
  title: string
  onClose: () => void
}

/** A suggested record over the form, whose input stays. */
function Suggested({ definition, suggest, target, id, title, onClose }: SuggestedProps) {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const form = Form.useFormInstance<Row>()
  const navigate = useNavigate()
  const can = useCan()
  const call = useRpcCall()
  const { open } = useNotification()
  const { query } = useOne<Row & { id: string }>({
    resource: target.name,
    id,
    meta: { table: tableOf(target), select: `id,${suggest.text}` },
  })
  const text = query.data?.data[suggest.text]
  const handleSolved = async () => {
    const named = actionsOn(target).find(({ name }) => name === suggest.solved)
    // The answer counts more than the figure: a vote that fails keeps nobody in the form.
    if (named?.action.rpc && can(named.object, named.verb).allowed)
      for (const args of rpcCalls(named.action, [{ id }], {}))
        await call(named.action.rpc, args).catch(() => undefined)
    // The input is not needed any more, so that leaving asks nothing.
    form.resetFields()
    open?.({ type: 'success', message: t('form.solved', { name: words.one }) })
    navigate(listPath(definition))
  }
  return (
    <Modal
      open
      title={title}
      width={720}
      onCancel={onClose}
      footer={
        <div className="l-buttons-end">
          <Button disabled={false} onClick={onClose}>
            {t('form.suggestionBack')}
          </Button>
          <Button disabled={false} type="primary" onClick={() => void handleSolved()}>
            {t('form.suggestionSolved')}
          </Button>
        </div>
      }
    >
      {typeof text === 'string' ? (
        <div className="k-suggestion-text">
          <Suspense fallback={<PartLoading rows={4} />}>
            <MarkdownText text={text} />
          </Suspense>
        </div>
      ) : query.data ? (
        <p className="l-first">{t('form.suggestionEmpty')}</p>
      ) : (
        <QueryState query={query} rows={4} />
      )}
    </Modal>
  )
}
