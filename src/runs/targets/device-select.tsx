import { Select, Spin } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useErrorText } from '@/resource/use-error-text'
import { omittedTags, useSearchText } from '@/ui/picker'
import { StatusTag } from '@/ui/status-tag'
import { TARGET } from './target-data'
import type { Target } from './targets'
import css from './targets.module.css'
import { useChoices } from './use-choices'

type Props = {
  id?: string
  value?: Target[]
  onChange?: (targets: Target[]) => void
  /** Only devices of this company; null for all companies in scope. */
  companyId: string | null
  label: string
}

type Choice = { value: string; label: string }

/** Selects several devices, searched on the server: a fleet does not fit into a drop-down. */
export function DeviceSelect({ id, value = [], onChange, companyId, label }: Props) {
  const { t } = useTranslation('devices')
  const errorText = useErrorText()
  const search = useSearchText()
  const { text, isTyping } = search
  const { query, choices } = useChoices<Target>({ resource: 'devices', select: TARGET, companyId, text })
  const found = isTyping ? undefined : choices
  const known = useMemo(
    () => new Map([...value, ...(choices ?? [])].map((target) => [target.id, target])),
    [value, choices],
  )

  return (
    // Tab moves on. The list would handle it as a selection, and deselect a selected device.
    <div role="presentation" onKeyDownCapture={(event) => event.key === 'Tab' && event.stopPropagation()}>
      <Select<Choice[]>
        id={id}
        aria-label={label}
        mode="multiple"
        labelInValue
        className="l-full"
        placeholder={t('select.placeholder')}
        maxTagCount={6}
        maxTagPlaceholder={omittedTags}
        value={value.map((target) => ({ value: target.id, label: target.name }))}
        {...search.select}
        loading={isTyping || query.isFetching}
        notFoundContent={
          isTyping || query.isPending ? (
            <Spin size="small" />
          ) : query.isError ? (
            errorText(query.error)
          ) : (
            t('select.nothing')
          )
        }
        options={(found ?? []).map((target) => ({ value: target.id, label: target.name }))}
        optionRender={(option) => <DeviceOption target={known.get(String(option.value))} />}
        onChange={(choices) => {
          search.end()
          onChange?.(
            choices.flatMap((choice) => {
              const target = known.get(choice.value)
              return target ? [target] : []
            }),
          )
        }}
      />
    </div>
  )
}

function DeviceOption({ target }: { target: Target | undefined }) {
  const { t } = useTranslation('devices')
  if (!target) return null
  const isOnline = target.status === 'online'
  return (
    <span className={css.option}>
      <span className="l-ellipsis">{target.name}</span>
      <StatusTag tone={isOnline ? 'success' : 'neutral'} dot>
        {isOnline ? t('status.online') : t('status.offline')}
      </StatusTag>
    </span>
  )
}
