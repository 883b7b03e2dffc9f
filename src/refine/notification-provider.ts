import type { NotificationProvider } from '@refinedev/core'
import { useMemo } from 'react'
import { useToast } from '@/ui/toast'

/** Refine's notifications as the console's one toast. */
export function useNotificationProvider(): NotificationProvider {
  const { show, dismiss } = useToast()
  return useMemo(
    () => ({
      open: ({ key, type, message, description }) =>
        show({ key, type: type === 'progress' ? 'info' : type, title: message, description }),
      close: dismiss,
    }),
    [show, dismiss],
  )
}
