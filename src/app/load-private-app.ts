/** All code behind the sign-in; downloaded once, however often this is called. */
export async function loadPrivateApp() {
  const { PrivateApp } = await import('@/app/private-app')
  return { default: PrivateApp }
}
