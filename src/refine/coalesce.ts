/**
 * Calls `action` at once and then at most once per interval, with a last call after the last request: a
 * reporting fleet causes one refresh a second, and the last change is never dropped.
 */
export function coalesce(action: () => void, interval = 1000): { request: () => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isWanted = false
  const pause = () => {
    timer = setTimeout(() => {
      timer = undefined
      if (!isWanted) return
      isWanted = false
      action()
      pause()
    }, interval)
  }
  return {
    request: () => {
      if (timer !== undefined) {
        isWanted = true
        return
      }
      action()
      pause()
    },
    stop: () => clearTimeout(timer),
  }
}
