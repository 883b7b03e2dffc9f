import { Button, Drawer, Menu } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { type ListTools, staysOpen, useDisplayItems, useFileItems } from '@/resource/screens/list/tool-items'

interface ToolSheetProps {
  tools: ListTools
  isOpen: boolean
  /** Saves or changes the view. They come and go with the list's state, and move no tool. */
  viewControls: ReactNode
  /** Opens the filters; null if there are no filters. */
  onFilter: (() => void) | null
  onClose: () => void
}

/** On a phone: the tools of a wide window's toolbar, without its primary action. */
export function ToolSheet({ tools, isOpen, viewControls, onFilter, onClose }: ToolSheetProps) {
  const { t } = useTranslation('engine')
  const display = useDisplayItems(tools)
  const files = useFileItems(tools)
  return (
    <Drawer
      open={isOpen}
      placement="bottom"
      size="75dvh"
      title={t('list.tools', { name: tools.words.many })}
      footer={viewControls}
      onClose={onClose}
    >
      <div className="k-tool-sheet">
        {onFilter ? (
          <Button
            block
            onClick={() => {
              onClose()
              onFilter()
            }}
          >
            {t('list.filters')}
          </Button>
        ) : null}
        <Menu
          style={{ border: 0 }}
          items={[...files.items, ...display.items]}
          selectedKeys={display.selected}
          onClick={({ key }) => {
            const isFile = files.items.some((item) => item?.key === key)
            const { press } = isFile ? files : display
            if (!staysOpen(key)) onClose()
            press(key)
          }}
        />
      </div>
    </Drawer>
  )
}
