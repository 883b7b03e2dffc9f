import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import type { DenialReason } from '@/access/policy'

/** A reason in the reader's words. */
export function useDenialText(): (reason: DenialReason) => string {
  const { t } = useTranslation('access')
  return useCallback((reason: DenialReason) => t(`reasons.${reason}`), [t])
}
