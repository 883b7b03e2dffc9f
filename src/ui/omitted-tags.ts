/** How many chosen values have no room. antd's own text says "+ 0 ..." where all of them do. */
export function omittedTags(omitted: readonly unknown[]): string | null {
  return omitted.length > 0 ? `+${omitted.length}` : null
}
