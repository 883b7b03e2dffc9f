import { fetchDefinitions } from '@/ui/console-files'
import { loadChunk } from '@/ui/load-chunk'

async function load() {
  const [{ PrivateApp, takeDefinitions }, definitions] = await Promise.all([
    import('@/app/private-app'),
    loadChunk(fetchDefinitions),
  ])
  takeDefinitions(definitions)
  return { default: PrivateApp }
}

let loading: ReturnType<typeof load> | undefined

/** All code behind the sign-in, and the definitions; downloaded once, however often this is called. */
export function loadPrivateApp(): ReturnType<typeof load> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}
