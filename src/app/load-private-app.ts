/** Everything behind the sign-in; the browser asks for it once, however often this is called. */
export async function loadPrivateApp() {
  const { PrivateApp } = await import('@/app/private-app')
  return { default: PrivateApp }
}
