interface Group<Entry> {
  /** Null for entries that name no group. */
  group: string | null
  members: Entry[]
}

/** Entries by group, in the order in which groups first appear; those without a group come first. */
export function groupEntries<Entry>(
  entries: readonly Entry[],
  groupOf: (entry: Entry) => string | null,
): Group<Entry>[] {
  const groups = new Map<string | null, Entry[]>([[null, []]])
  for (const entry of entries) {
    const group = groupOf(entry)
    groups.set(group, [...(groups.get(group) ?? []), entry])
  }
  return [...groups]
    .filter(([, members]) => members.length > 0)
    .map(([group, members]) => ({ group, members }))
}
