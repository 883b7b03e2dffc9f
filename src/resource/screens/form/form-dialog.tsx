import { Modal } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { useReadable } from '@/resource/fields/guards'
import type { Definition } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import { RecordForm } from '@/resource/screens/form/record-form'
import { LeaveGuard } from '@/ui/leave-guard'

interface FormDialogProps {
  definition: Definition
  preset?: Row
  fixed?: readonly string[]
  isPart?: boolean
  companyId?: string | null
  onClose: () => void
  onCreated: (row: Row) => void
}

const FIELD = ':is(input, textarea):not([disabled], [type="hidden"])'

/** A new record without leaving what one is at. */
export function FormDialog({ definition, onClose, onCreated, ...rest }: FormDialogProps) {
  const { t } = useTranslation(['engine', 'common'])
  const words = useWords(definition)
  const readable = useReadable(definition)
  const isDirty = useRef<() => boolean>(() => false)
  const box = useRef<HTMLDivElement>(null)
  const [isAsking, setAsking] = useState(false)
  // The focus goes back to the control that opened the dialog, which ends by losing it.
  const [opener] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement) opener.focus()
    },
    [opener],
  )
  const leave = () => (isDirty.current() ? setAsking(true) : onClose())
  return (
    <>
      <Modal
        open
        width={760}
        title={t('common:actions.new', { name: words.one })}
        footer={null}
        onCancel={leave}
        afterOpenChange={(isOpen) => {
          // Enter creates the record; on the dialog's own first element, the X, it would close it.
          if (isOpen) box.current?.querySelector<HTMLElement>(FIELD)?.focus()
        }}
      >
        <div className="k-modal-form" ref={box}>
          <RecordForm
            definition={readable}
            {...rest}
            name={`new-${definition.name}`}
            onSaved={onCreated}
            onCancel={leave}
            dirtyRef={isDirty}
          />
        </div>
      </Modal>
      <LeaveGuard
        loss="changes"
        isLost={() => isDirty.current()}
        title={t('form.leaveTitle')}
        text={t('form.leaveText')}
        closing={isAsking ? { leave: onClose, stay: () => setAsking(false) } : null}
      />
    </>
  )
}
