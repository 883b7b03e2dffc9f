/**
 * Calls `action` at once and then at most once an interval, with a last call after the last request: a fleet that
 * reports makes one refresh a second, not a hundred, and the last change is never the one that was dropped.
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
