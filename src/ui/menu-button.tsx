import { Dropdown, type DropdownProps, type MenuProps } from 'antd'
import { type Ref, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'

/** Between a menu and the edge of the window, and between it and its button. */
const GAP = 12
/** Less would show no two items. */
const MIN_ROOM = 96

/** A placeholder for a button that is in the document without the menu's code. */
export function MenuAnchor({ button, ref }: { button: HTMLElement; ref?: Ref<HTMLElement> }) {
  useImperativeHandle(ref, () => button, [button])
  return null
}

/** The height that a menu can take beside its button: above it or below, whichever is more. */
export function roomBeside({ top, bottom }: Pick<DOMRect, 'top' | 'bottom'>, height: number): number {
  return Math.max(MIN_ROOM, Math.floor(Math.max(top, height - bottom) - GAP))
}

interface MenuButtonProps
  extends Pick<DropdownProps, 'placement' | 'open' | 'onOpenChange' | 'disabled' | 'children'> {
  menu: MenuProps
  /** Whether the menu stays open after its item of this key. */
  staysOpen?: (key: string) => boolean
}

/**
 * A menu on its button. The menu is no higher than the room beside the button, and scrolls; it takes the focus, so that
 * the arrow keys go through its items, and gives it back.
 */
export function MenuButton({ menu, staysOpen, onOpenChange, open, ...rest }: MenuButtonProps) {
  const trigger = useRef<HTMLElement>(null)
  const [room, setRoom] = useState<number>()
  const measure = () => {
    if (trigger.current)
      setRoom(roomBeside(trigger.current.getBoundingClientRect(), document.documentElement.clientHeight))
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: an owner that opens the menu opens it at its button's place then
  useLayoutEffect(() => {
    if (open) measure()
  }, [open])
  return (
    <Dropdown
      // antd passes the element of the child, whatever the type says.
      ref={trigger as Ref<never>}
      trigger={['click']}
      autoFocus
      {...(open === undefined ? {} : { open })}
      {...rest}
      onOpenChange={(isNext, info) => {
        if (isNext) measure()
        else if (info.source === 'trigger' && document.activeElement?.closest('[role="menu"]'))
          trigger.current?.focus()
        onOpenChange?.(isNext, info)
      }}
      menu={{
        ...menu,
        style: { ...menu.style, maxHeight: room, overflowY: 'auto' },
        onClick: (info) => {
          // Enter would press the button that has the focus next.
          if (info.domEvent.type === 'keydown') info.domEvent.preventDefault()
          if (!staysOpen?.(info.key)) trigger.current?.focus()
          menu.onClick?.(info)
        },
      }}
    />
  )
}
