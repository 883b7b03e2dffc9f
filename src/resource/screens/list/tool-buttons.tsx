import ControlOutlined from '@ant-design/icons/es/icons/ControlOutlined'
import MoreOutlined from '@ant-design/icons/es/icons/MoreOutlined'
import { Button } from 'antd'
import { type ReactNode, type RefObject, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ListTools } from '@/resource/screens/list/tool-items'
import { lazyPart } from '@/ui/load-chunk'

// The contents of a menu load with the first press on its button.
const ToolMenu = lazyPart(() =>
  import('@/resource/screens/list/tool-menu').then((module) => ({ default: module.ToolMenu })),
)
const ToolSheet = lazyPart(() =>
  import('@/resource/screens/list/tool-sheet').then((module) => ({ default: module.ToolSheet })),
)

interface MenuButtonProps {
  kind: 'display' | 'files'
  tools: ListTools
  ref?: RefObject<HTMLButtonElement | null>
  children?: ReactNode
}

export function MenuButton({ kind, tools, ref, children }: MenuButtonProps) {
  const { t } = useTranslation('engine')
  const [button, setButton] = useState<HTMLElement | null>(null)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        ref={ref}
        icon={children ? <ControlOutlined aria-hidden="true" /> : <MoreOutlined aria-hidden="true" />}
        aria-label={children ? undefined : t('list.more')}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={(event) => {
          setButton(event.currentTarget)
          setOpen(!isOpen)
        }}
      >
        {children}
      </Button>
      {button ? (
        <Suspense fallback={null}>
          <ToolMenu {...{ kind, tools, button, isOpen }} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}

interface SheetButtonProps {
  tools: ListTools
  viewControls: ReactNode
  onFilter: (() => void) | null
}

export function SheetButton(props: SheetButtonProps) {
  const { t } = useTranslation('engine')
  const [isOpen, setOpen] = useState(false)
  const [wasOpened, setOpened] = useState(false)
  if (isOpen && !wasOpened) setOpened(true)
  return (
    <>
      <Button
        icon={<MoreOutlined aria-hidden="true" />}
        aria-label={t('list.tools', { name: props.tools.words.many })}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      />
      {wasOpened ? (
        <Suspense fallback={null}>
          <ToolSheet {...props} isOpen={isOpen} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
