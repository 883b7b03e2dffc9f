import { type ComponentType, lazy, useSyncExternalStore } from 'react'

/**
 * Why a part of the console is not there yet: the server cannot be reached, or it answers without the file, as after
 * an upgrade.
 */
export type ChunkProblem = 'offline' | 'outdated'

/** How often a missing part is tried again, in milliseconds. */
const RETRY_EVERY = 5000
/** A server that answers and still does not give the file so many times will not: only a reload helps. */
const MAX_ANSWERED_FAILURES = 2

const LOADING_FAILURE =
  /dynamically imported module|importing a module script|preload css|javascript mime type/i

const problems = new Map<object, ChunkProblem>()
const retries = new Set<() => void>()
const listeners = new Set<() => void>()

function setProblem(chunk: object, problem: ChunkProblem | null): void {
  if (problem) problems.set(chunk, problem)
  else if (!problems.delete(chunk)) return
  for (const listener of listeners) listener()
}

function currentProblem(): ChunkProblem | null {
  const all = [...problems.values()]
  return all.find((problem) => problem === 'outdated') ?? all[0] ?? null
}

/** The problem of the parts that are being waited for; null without one. */
export function useChunkProblem(): ChunkProblem | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    currentProblem,
    currentProblem,
  )
}

/** Tries the missing parts again at once. */
export function retryChunks(): void {
  for (const retry of [...retries]) retry()
}

function untilRetry(): Promise<void> {
  return new Promise((resolve) => {
    const timer = window.setTimeout(finish, RETRY_EVERY)
    function finish() {
      window.clearTimeout(timer)
      window.removeEventListener('online', finish)
      retries.delete(finish)
      resolve()
    }
    window.addEventListener('online', finish)
    retries.add(finish)
  })
}

/** Whether the server answers with a page, and whether that page starts the version that runs here. */
async function askForPage(): Promise<'unreachable' | 'same' | 'other'> {
  const entry = document.querySelector('script[type="module"][src]')?.getAttribute('src')
  try {
    const response = await fetch('/', { cache: 'no-store' })
    if (!response.ok) return 'unreachable'
    return !entry || (await response.text()).includes(entry) ? 'same' : 'other'
  } catch {
    return 'unreachable'
  }
}

/** Stylesheets that could not be loaded: the bundler asks for each once only, whether or not it came. */
const failedStyles = new Set<HTMLLinkElement>()
if (typeof window !== 'undefined')
  window.addEventListener(
    'error',
    ({ target }) => {
      if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') failedStyles.add(target)
    },
    true,
  )

/** Never touches a link that is still loading: somebody waits for its event. */
async function reloadFailedStyles(): Promise<void> {
  const failed = [...failedStyles].filter((link) => link.isConnected)
  failedStyles.clear()
  await Promise.all(
    failed.map(
      (link) =>
        new Promise<void>((resolve, reject) => {
          const again = link.cloneNode() as HTMLLinkElement
          again.onload = () => resolve()
          again.onerror = () => reject(new Error(`Unable to preload CSS for ${link.href}`))
          link.replaceWith(again)
        }),
    ),
  )
}

/**
 * Loads a part of the console. A file that cannot be loaded is retried automatically, on the browser's
 * `online` event and on `retryChunks()`. Only an error of the part's own code is thrown.
 */
export async function loadChunk<Module>(load: () => Promise<Module>): Promise<Module> {
  const chunk = {}
  let answered = 0
  for (let isRetry = false; ; isRetry = true) {
    try {
      if (isRetry) await reloadFailedStyles()
      const module = await load()
      setProblem(chunk, null)
      return module
    } catch (error) {
      if (!(error instanceof Error && LOADING_FAILURE.test(error.message))) {
        setProblem(chunk, null)
        throw error
      }
      const page = await askForPage()
      if (page !== 'unreachable') answered += 1
      const isOutdated = page === 'other' || answered >= MAX_ANSWERED_FAILURES
      setProblem(chunk, isOutdated ? 'outdated' : 'offline')
      await untilRetry()
    }
  }
}

/** `React.lazy` over `loadChunk`: suspends, with the offline state, until its file can be loaded. */
// biome-ignore lint/suspicious/noExplicitAny: React.lazy's own constraint
export function lazyPart<Part extends ComponentType<any>>(load: () => Promise<{ default: Part }>) {
  return lazy(() => loadChunk(load))
}
