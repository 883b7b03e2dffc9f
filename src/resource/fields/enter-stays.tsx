import type { KeyboardEvent, ReactNode } from 'react'

/** Taking a date by Enter is no submitting of the form: the browser would do both. Buttons keep their Enter. */
export function keepEnter(event: Pick<KeyboardEvent, 'key' | 'preventDefault'> & { target: unknown }): void {
  const { tagName } = event.target as { tagName?: string }
  if (event.key === 'Enter' && tagName === 'INPUT') event.preventDefault()
}

/** Around a control whose own meaning of Enter has been done by the time the event gets here. */
export function EnterStays({ children }: { children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens to what its control lets through
    <div onKeyDown={keepEnter}>{children}</div>
  )
}
