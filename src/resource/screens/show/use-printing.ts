import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** Whether the page is being laid out for paper: what is only for it must stand before the browser looks. */
export function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    const media = window.matchMedia('print')
    const follow = () => flushSync(() => setPrinting(media.matches))
    const begin = () => flushSync(() => setPrinting(true))
    const end = () => flushSync(() => setPrinting(false))
    media.addEventListener('change', follow)
    window.addEventListener('beforeprint', begin)
    window.addEventListener('afterprint', end)
    return () => {
      media.removeEventListener('change', follow)
      window.removeEventListener('beforeprint', begin)
      window.removeEventListener('afterprint', end)
    }
  }, [])
  return isPrinting
}
