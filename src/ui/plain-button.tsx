import type { ButtonHTMLAttributes, MouseEvent } from 'react'
import '@/ui/states.css'
import '@/ui/plain-button.css'

interface PlainButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type'> {
  type?: 'button' | 'submit'
  kind?: 'default' | 'primary' | 'text'
  size?: 'small' | 'middle' | 'large'
  isBlock?: boolean
  /** Holds an icon alone. */
  isIcon?: boolean
  /** At work: keeps its focus, and takes no second press. */
  isBusy?: boolean
}

/** The button of the pages before sign-in, in antd's measures and without its weight. */
export function PlainButton({
  type = 'button',
  kind = 'default',
  size = 'middle',
  isBlock = false,
  isIcon = false,
  isBusy = false,
  onClick,
  children,
  ...button
}: PlainButtonProps) {
  const handleClick = (event: MouseEvent<HTMLButtonElement>) => {
    if (isBusy) event.preventDefault()
    else onClick?.(event)
  }
  return (
    <button
      {...button}
      type={type}
      className="k-button"
      data-kind={kind}
      data-size={size}
      data-block={isBlock}
      data-icon={isIcon}
      aria-disabled={isBusy || undefined}
      onClick={handleClick}
    >
      {isBusy ? <span className="k-spinner" aria-hidden="true" /> : null}
      {children}
    </button>
  )
}
