/**
 * The path a request means, or null when it means none of ours. Guards compare this, and this is what lite gets:
 * `/auth/v1/%6ftp` and `/auth/v1//otp` must not reach past a guard for `/auth/v1/otp`.
 */
export function canonicalPath(pathname: string): string | null {
  let path: string
  try {
    path = decodeURIComponent(pathname)
  } catch {
    return null
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[%\\\u0000-\u001f\u007f]/.test(path)) return null
  if (path.includes('//') || /(^|\/)\.\.?(\/|$)/.test(path)) return null
  return path
}
