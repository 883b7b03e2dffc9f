/** The other fields of the record that a value, a condition or a whole filter compares with, by `$record`. */
export function mentionedFields(value: unknown): string[] {
  const text = JSON.stringify(value ?? null)
  return [...text.matchAll(/\$record\.(\w+)/g)].flatMap(([, name]) => name ?? [])
}
