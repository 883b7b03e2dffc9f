import { Checkbox, Input, type InputRef, Modal, Radio } from 'antd'
import { useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCan, useDenialText } from '@/access/use-can'
import type { ViewScope } from '@/resource/request/query/saved-views'
import type { Sharing } from '@/resource/screens/list/views/use-view-writes'
import '@/resource/screens/list/views/views.css'
import { isOutOfRole } from '@/access/policy'
import { useAllRoles } from '@/access/roles'
import { useRoleWord } from '@/resource/language/words'

/** Why a view cannot be shared now; undefined where it can, null for a role that never may. */
export function useSharingRefusal(companyId: string | null): string | null | undefined {
  const { t } = useTranslation('views')
  const denialText = useDenialText()
  const verdict = useCan()('saved_views', 'share')
  if (isOutOfRole(verdict)) return null
  if (!verdict.allowed) return denialText(verdict.reason)
  return companyId === null ? t('chooseCompany') : undefined
}

interface SharingChoiceProps {
  value: Sharing
  companyId: string | null
  /** Only its owner takes a view back. */
  isMine: boolean
  onChange: (sharing: Sharing) => void
}

/** Asks for the audience of the view; renders nothing for a role that cannot share. */
function SharingChoice({ value, companyId, isMine, onChange }: SharingChoiceProps) {
  const { t } = useTranslation('views')
  const roleWord = useRoleWord()
  const roles = useAllRoles().filter(({ hasCompany }) => hasCompany)
  const reason = useSharingRefusal(companyId)
  if (reason === null) return null
  const key = value.scope === 'role' ? `role:${value.role ?? ''}` : value.scope
  const handleChange = (next: string) => {
    if (next === 'mine') onChange({ scope: 'mine', role: null, company_id: null })
    else if (next === 'company') onChange({ scope: 'company', role: null, company_id: companyId })
    else onChange({ scope: 'role', role: next.slice('role:'.length), company_id: companyId })
  }
  const isRefused = reason !== undefined
  return (
    <fieldset className="k-view-sharing">
      <legend>{t('for')}</legend>
      <Radio.Group
        vertical
        value={key}
        onChange={(event) => handleChange(String(event.target.value))}
        options={[
          { value: 'mine', label: t('mine'), disabled: !isMine },
          ...roles.map(({ name }) => ({
            value: `role:${name}`,
            label: t('role', { role: roleWord(name) }),
            disabled: isRefused,
          })),
          { value: 'company', label: t('company'), disabled: isRefused },
        ]}
      />
      {reason ? <p className="k-view-reason">{reason}</p> : null}
    </fieldset>
  )
}

export interface ViewDraft {
  name: string
  sharing: Sharing
  isDefault: boolean
}

interface ViewDialogProps {
  title: string
  /** The questions of the dialog; everything else is kept. */
  asks: readonly ('name' | 'sharing' | 'default')[]
  initial: { name: string; scope: ViewScope; role: string | null; isDefault: boolean; isMine: boolean }
  companyId: string | null
  isPending: boolean
  onSave: (draft: ViewDraft) => void
  onClose: () => void
}

const LONGEST_NAME = 80

export function ViewDialog({ title, asks, initial, companyId, isPending, ...props }: ViewDialogProps) {
  const { t } = useTranslation('views')
  const id = useId()
  const [name, setName] = useState(initial.name)
  const [isDefault, setDefault] = useState(initial.isDefault)
  const [isMissing, setMissing] = useState(false)
  const input = useRef<InputRef>(null)
  const [sharing, setSharing] = useState<Sharing>({
    scope: initial.scope,
    role: initial.role,
    company_id: initial.scope === 'mine' ? null : companyId,
  })
  const handleSave = () => {
    if (name.trim() === '') {
      setMissing(true)
      input.current?.focus()
    } else props.onSave({ name: name.trim(), sharing, isDefault })
  }
  return (
    <Modal
      open
      title={title}
      okText={t('ok')}
      cancelText={t('cancel')}
      confirmLoading={isPending}
      onOk={handleSave}
      onCancel={props.onClose}
      afterOpenChange={(isOpen) => {
        if (isOpen) input.current?.focus()
      }}
    >
      <div className="k-view-form">
        {asks.includes('name') ? (
          <div className="k-view-name">
            <label htmlFor={id}>{t('name')}</label>
            <Input
              id={id}
              ref={input}
              value={name}
              maxLength={LONGEST_NAME}
              status={isMissing ? 'error' : undefined}
              aria-invalid={isMissing}
              aria-describedby={isMissing ? `${id}-missing` : undefined}
              onChange={(event) => {
                setName(event.target.value)
                setMissing(false)
              }}
              onPressEnter={handleSave}
            />
            {isMissing ? (
              <p className="k-view-missing" id={`${id}-missing`}>
                {t('nameMissing')}
              </p>
            ) : null}
          </div>
        ) : null}
        {asks.includes('sharing') ? (
          <SharingChoice
            value={sharing}
            companyId={companyId}
            isMine={initial.isMine}
            onChange={setSharing}
          />
        ) : null}
        {asks.includes('default') ? (
          <Checkbox checked={isDefault} onChange={(event) => setDefault(event.target.checked)}>
            {t('asDefault')}
          </Checkbox>
        ) : null}
      </div>
    </Modal>
  )
}
