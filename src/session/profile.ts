export const SHORTEST_NAME = 2
export const LONGEST_NAME = 100

export function isValidName(name: string): boolean {
  const length = Array.from(name.trim()).length
  return length >= SHORTEST_NAME && length <= LONGEST_NAME
}
