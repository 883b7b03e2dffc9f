import type { NotificationProvider } from '@refinedev/core'
import { useMemo } from 'react'
import { useToast } from '@/ui/toast'

/**
 * The keys of the notifications that Refine opens by itself for a failed read. A screen shows such a failure in place. A
 * function that is read (`useCustom`) has the same key as one that is called, so `useRpc` says it there.
 */
const FAILED_READ = /-(?:getOne|getMany|useList|useInfiniteList)-notification$/

/** Refine's notifications as the console's one toast. */
export function useNotificationProvider(): NotificationProvider {
  const { show, dismiss } = useToast()
  return useMemo(
    () => ({
      open: ({ key, type, message, description }) => {
        if (key !== undefined && FAILED_READ.test(key)) return
        show({ key, type: type === 'progress' ? 'info' : type, title: message, description })
      },
      close: dismiss,
    }),
    [show, dismiss],
  )
}
