/** `#abc` and `ABCDEF` are colors too; they are stored in the one long form. */
export function toColor(text: string): string {
  const bare = text.trim().toLowerCase().replace(/^#/, '')
  if (/^[0-9a-f]{3}$/.test(bare)) return `#${[...bare].map((digit) => digit + digit).join('')}`
  return /^[0-9a-f]{6}$/.test(bare) ? `#${bare}` : text.trim()
}
