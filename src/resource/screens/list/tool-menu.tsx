import { type ListTools, staysOpen, useDisplayItems, useFileItems } from '@/resource/screens/list/tool-items'
import { MenuAnchor, MenuButton } from '@/ui/menu-button'

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
    <MenuButton
      placement="bottomRight"
      staysOpen={staysOpen}
      open={isOpen}
      onOpenChange={(isNext, { source }) => {
        if (!isNext && source === 'trigger') onClose()
      }}
      menu={{
        items: isOpen ? items : [],
        selectedKeys: selected,
        onClick: ({ key }) => {
          if (!staysOpen(key)) onClose()
          press(key)
        },
      }}
    >
      <MenuAnchor button={button} />
    </MenuButton>
  )
}
