import { Checkbox, Input, type InputRef, Modal } from 'antd'
import { useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ViewScope } from '@/resource/preferences/list-settings'
import { SharingChoice } from '@/resource/views/sharing-choice'
import type { Sharing } from '@/resource/views/use-view-writes'
import '@/resource/views/views.css'

export interface ViewDraft {
  name: string
  sharing: Sharing
  isDefault: boolean
}

interface ViewDialogProps {
  title: string
  /** What the dialog asks for; everything else is kept. */
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
