import type { VirtualItem } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useNavigationType } from 'react-router'

/** The scroll position of a list, and the measured heights of a long list's rows. */
interface ScrollPlace {
  offset: number
  measurements: VirtualItem[]
}

/** As many lists as somebody goes back to. */
const MAX_PLACES = 10
const NO_MEASUREMENTS = (): VirtualItem[] => []

/** Places are kept by the list's address, and as long as the page, like the rows that were read. */
const places = new Map<string, ScrollPlace>()

function keepPlace(address: string, place: ScrollPlace): void {
  places.delete(address)
  places.set(address, place)
  const [oldest] = places.keys()
  if (places.size > MAX_PLACES && oldest !== undefined) places.delete(oldest)
}

export function placeOf(address: string): ScrollPlace | undefined {
  return places.get(address)
}

/** The scroll offset at which the user left the list, if they return to it; otherwise 0. */
export function useKeptOffset(address: string): number {
  const isBack = useNavigationType() === 'POP'
  const [offset] = useState(() => (isBack ? (placeOf(address)?.offset ?? 0) : 0))
  return offset
}

/**
 * Keeps where `box` is scrolled to under the list's address. Another address is another list, which begins at its top.
 * `initial` is scrolled to at first; null where the rows see to that themselves.
 */
export function useScrollPlace(
  box: HTMLElement | null,
  address: string,
  initial: number | null,
  measurements: () => VirtualItem[] = NO_MEASUREMENTS,
): void {
  const lastAddress = useRef(address)
  const latest = useRef(measurements)
  useEffect(() => {
    latest.current = measurements
  })
  useLayoutEffect(() => {
    if (box && initial) box.scrollTo({ top: initial, behavior: 'instant' })
  }, [box, initial])
  useLayoutEffect(() => {
    if (!box) return
    if (lastAddress.current !== address) box.scrollTo({ top: 0 })
    lastAddress.current = address
    let offset = box.scrollTop
    const handleScroll = () => {
      offset = box.scrollTop
    }
    box.addEventListener('scroll', handleScroll, { passive: true })
    return () => {
      box.removeEventListener('scroll', handleScroll)
      keepPlace(address, { offset, measurements: latest.current() })
    }
  }, [box, address])
}
