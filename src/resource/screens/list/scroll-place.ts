import type { VirtualItem } from '@tanstack/react-virtual'

/** Where the reader of a list had scrolled to, and how tall its rows had been found to be. */
export interface ScrollPlace {
  offset: number
  measurements: VirtualItem[]
}

/** As many lists as somebody goes back to. */
const MOST_PLACES = 10

/** By the list's address; as long as the page, like the rows that were read. */
const places = new Map<string, ScrollPlace>()

export function keepPlace(address: string, place: ScrollPlace): void {
  places.delete(address)
  places.set(address, place)
  const [oldest] = places.keys()
  if (places.size > MOST_PLACES && oldest !== undefined) places.delete(oldest)
}

export function placeOf(address: string): ScrollPlace | undefined {
  return places.get(address)
}
