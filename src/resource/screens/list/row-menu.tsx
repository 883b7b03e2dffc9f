import { useCallback, useState } from 'react'
import { useEngineWords } from '@/i18n/use-fixed-words'
import { recordTitle } from '@/resource/queries/title'
import { RowMenuItems, type RowMenuProps } from '@/resource/screens/list/row-menu-items'
import { RowIcon } from '@/ui/row-icon'

/**
 * A plain button: the library's menu takes a third of the time that a row is painted in, and few rows' are ever
 * opened. It is hung on the button with the first press, and stays.
 */
export function RowMenu(props: RowMenuProps) {
  const t = useEngineWords()
  const [button, setButton] = useState<HTMLButtonElement | null>(null)
  const [isOpen, setOpen] = useState(false)
  const close = useCallback(() => setOpen(false), [])
  return (
    <>
      <button
        type="button"
        className="k-row-menu"
        aria-label={t('list.actionsFor', { title: recordTitle(props.definition, props.row) })}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={(event) => {
          setButton(event.currentTarget)
          setOpen(!isOpen)
        }}
      >
        <RowIcon shape="more" />
      </button>
      {button ? <RowMenuItems {...props} button={button} isOpen={isOpen} onClose={close} /> : null}
    </>
  )
}
