const NAME = 'sidebar_state'
const SEVEN_DAYS = 7 * 24 * 60 * 60

/** Open unless the cookie says otherwise. */
export function isSidebarOpen(cookies: string): boolean {
  return !cookies.split(/;\s*/).includes(`${NAME}=false`)
}

export function sidebarCookie(isOpen: boolean): string {
  return `${NAME}=${isOpen}; path=/; max-age=${SEVEN_DAYS}; SameSite=Lax`
}
