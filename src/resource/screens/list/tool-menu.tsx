import { Dropdown } from 'antd'
import { type Ref, useImperativeHandle } from 'react'
import { type ListTools, staysOpen, useDisplayItems, useFileItems } from '@/resource/screens/list/tool-items'
import { leaveMenu } from '@/ui/leave-menu'

/** A placeholder for the button, which is in the document without the menu's code. */
function Anchor({ button, ref }: { button: HTMLElement; ref?: Ref<HTMLElement> }) {
  useImperativeHandle(ref, () => button, [button])
  return null
}

interface ToolMenuProps {
  kind: 'display' | 'files'
  tools: ListTools
  button: HTMLElement
  isOpen: boolean
  onClose: () => void
}

/** A menu of the toolbar, hung on its button. */
export function ToolMenu({ kind, tools, button, isOpen, onClose }: ToolMenuProps) {
  const display = useDisplayItems(tools)
  const files = useFileItems(tools)
  const { items, selected, press } = kind === 'display' ? display : files
  return (
    <Dropdown
      trigger={['click']}
      placement="bottomRight"
      autoFocus
      open={isOpen}
      onOpenChange={(isNext, { source }) => {
        if (isNext || source !== 'trigger') return
        leaveMenu(button)
        onClose()
      }}
      menu={{
        items: isOpen ? items : [],
        selectedKeys: selected,
        onClick: ({ key, domEvent }) => {
          // Enter would press the button that has the focus next.
          domEvent.preventDefault()
          if (!staysOpen(key)) {
            button.focus()
            onClose()
          }
          press(key)
        },
      }}
    >
      <Anchor button={button} />
    </Dropdown>
  )
}
