import { useEffect } from 'react'
import { PRODUCT_NAME } from '@/ui/brand'

export function documentTitle(title: string): string {
  return title === PRODUCT_NAME ? PRODUCT_NAME : `${title} · ${PRODUCT_NAME}`
}

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = documentTitle(title)
  }, [title])
}
