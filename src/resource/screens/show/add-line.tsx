import { type BaseRecord, type HttpError, useCreate } from '@refinedev/core'
import { Button, Input, type InputRef } from 'antd'
import { useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCache } from '@/refine/use-cache'
import type { Definition } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import { useWords } from '@/resource/language/words'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { useRefresh } from '@/resource/request/query/use-write'
import { useErrorText } from '@/resource/use-error-text'
import { useSingleCall } from '@/ui/use-single-call'

interface AddLineProps {
  definition: Definition
  /** The text field that is typed. */
  name: string
  /** The field that points at the record, and its id. */
  under: { field: string; id: string }
  companyId: string | null
  /** The resource of that record, which may count its rows. */
  parent: string
}

/** A line below a list that adds a record by its text alone. The focus stays in it for the next one. */
export function AddLine({ definition, name, under, companyId, parent }: AddLineProps) {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const errorText = useErrorText()
  const scope = useResourceScope()
  const cache = useCache()
  const refresh = useRefresh(definition)
  const { mutateAsync } = useCreate<BaseRecord, HttpError, Record<string, string | null>>()
  const input = useRef<InputRef>(null)
  const errorId = useId()
  const [text, setText] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const field = definition.fields[name]
  const add = useSingleCall(async () => {
    const value = text.trim()
    if (value === '') return input.current?.focus()
    setBusy(true)
    setError(null)
    try {
      await mutateAsync({
        resource: definition.name,
        values: {
          [name]: value,
          [under.field]: under.id,
          ...(definition.tenant === false ? {} : { company_id: companyId }),
        },
        meta: {
          table: tableOf(definition),
          companyId: definition.tenant === false ? null : scope.companyId,
        },
        invalidates: [],
        successNotification: false,
        errorNotification: false,
      })
      setText('')
    } catch (failure) {
      setError(errorText(failure))
    } finally {
      setBusy(false)
      input.current?.focus()
    }
    await refresh()
    await cache.invalidate(parent)
  })
  return (
    <form
      className="k-add-line"
      onSubmit={(event) => {
        event.preventDefault()
        void add()
      }}
    >
      <Input
        ref={input}
        value={text}
        aria-label={t('list.addLine', { name: words.one })}
        aria-invalid={error !== null}
        aria-describedby={error === null ? undefined : errorId}
        placeholder={t('list.addLine', { name: words.one })}
        autoComplete="off"
        {...(field && 'max_length' in field && field.max_length ? { maxLength: field.max_length } : {})}
        {...(error === null ? {} : { status: 'error' as const })}
        onChange={({ target }) => setText(target.value)}
      />
      <Button htmlType="submit" loading={isBusy}>
        {t('list.add')}
      </Button>
      {error === null ? null : (
        <p id={errorId} role="alert" className="k-add-line-error">
          {error}
        </p>
      )}
    </form>
  )
}
