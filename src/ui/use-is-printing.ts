import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/**
 * Whether the page is laid out for paper. It is set before the browser prints, so that print-only content is
 * rendered by then.
 */
export function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    const media = window.matchMedia('print')
    const handleChange = () => flushSync(() => setPrinting(media.matches))
    const handleBefore = () => flushSync(() => setPrinting(true))
    const handleAfter = () => setPrinting(false)
    media.addEventListener('change', handleChange)
    window.addEventListener('beforeprint', handleBefore)
    window.addEventListener('afterprint', handleAfter)
    return () => {
      media.removeEventListener('change', handleChange)
      window.removeEventListener('beforeprint', handleBefore)
      window.removeEventListener('afterprint', handleAfter)
    }
  }, [])
  return isPrinting
}
