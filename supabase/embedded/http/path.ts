/**
 * The canonical path of a request, or null when it is not one of ours. Guards compare this path, and lite
 * gets it: `/auth/v1/%6ftp` and `/auth/v1//otp` must not bypass a guard for `/auth/v1/otp`.
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
