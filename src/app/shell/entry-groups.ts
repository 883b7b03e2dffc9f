interface Member {
  name: string
}

interface Group<Entry> {
  /** Undefined for those that name none. */
  group: string | undefined
  members: Entry[]
}

/** Entries that name a group stand together, in the order in which groups first appear; the others come first. */
export function groupEntries<Entry extends Member>(
  entries: readonly Entry[],
  groupOf: (name: string) => string | undefined,
): Group<Entry>[] {
  const groups = new Map<string | undefined, Entry[]>([[undefined, []]])
  for (const entry of entries) {
    const group = groupOf(entry.name)
    groups.set(group, [...(groups.get(group) ?? []), entry])
  }
  return [...groups]
    .filter(([, members]) => members.length > 0)
    .map(([group, members]) => ({ group, members }))
}
