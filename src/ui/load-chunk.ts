import { type ComponentType, lazy, useSyncExternalStore } from 'react'

/**
 * Why a part of the console is not there yet: the server cannot be reached, or only a reload brings it, as after an
 * upgrade.
 */
export type ChunkProblem = 'offline' | 'outdated'

/** How often a missing part is tried again, in milliseconds. */
const RETRY_EVERY = 5000
/** A server that answers and still does not give the file so many times will not: only a reload helps. */
const MAX_ANSWERED_FAILURES = 2
/** Pages reload by themselves at most once in this time, in milliseconds. */
const RELOAD_EVERY = 10 * 60_000
const RELOADED_AT = 'konsol-reloaded-at'

const LOADING_FAILURE =
  /dynamically imported module|importing a module script|preload css|javascript mime type/i

/** A file of the console, other than a script, that could not be read. */
export class FileUnavailable extends Error {
  constructor(file: string) {
    super(`${file} could not be loaded`)
    this.name = 'FileUnavailable'
  }
}

const isLoadingFailure = (error: unknown) =>
  error instanceof FileUnavailable || (error instanceof Error && LOADING_FAILURE.test(error.message))

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

/**
 * Pages before the sign-in register no guard: any typed text counts. Hidden fields hold none: antd measures the height of
 * a text in one, and leaves it in the document.
 */
const hasInput = () =>
  [...document.querySelectorAll<HTMLInputElement>('input, textarea')].some(
    (field) => field.value !== '' && field.getAttribute('aria-hidden') !== 'true',
  )

let hasUnsavedWork = hasInput

/** Lets a page with unsaved work keep it: parts that only a reload can bring then wait for their user. */
export function guardReload(check: () => boolean): () => void {
  hasUnsavedWork = check
  return () => {
    if (hasUnsavedWork === check) hasUnsavedWork = hasInput
  }
}

/**
 * Loads the page anew, and its files past the browser's cache: while a file is gone, a proxy or host may answer another
 * one in its place that the browser keeps for a year, which a plain reload shows again.
 */
export async function reloadPastCache(): Promise<void> {
  const files = performance
    .getEntriesByType('resource')
    .map(({ name }) => name)
    .filter((name) => name.startsWith(`${window.location.origin}/assets/`))
  // The page is loaded anew in any case.
  const signal = AbortSignal.timeout(RETRY_EVERY)
  await Promise.allSettled(
    [...new Set([window.location.href, ...files])].map((url) => fetch(url, { cache: 'reload', signal })),
  )
  window.location.reload()
}

/**
 * A browser that failed to fetch a module does not fetch it again until the page is loaded anew. False if the page
 * holds unsaved work, or was reloaded a moment ago without success.
 */
function reloadPage(): boolean {
  if (hasUnsavedWork()) return false
  try {
    const last = Number(window.sessionStorage.getItem(RELOADED_AT))
    if (Date.now() - last < RELOAD_EVERY) return false
    window.sessionStorage.setItem(RELOADED_AT, String(Date.now()))
  } catch {
    // Nothing would end a loop of reloads when there is no storage.
    return false
  }
  void reloadPastCache()
  return true
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
    // Not even tried: a module that fails once needs a reload.
    if (!window.navigator.onLine && (await askForPage()) === 'unreachable') {
      setProblem(chunk, 'offline')
      await untilRetry()
      continue
    }
    try {
      if (isRetry) await reloadFailedStyles()
      const module = await load()
      setProblem(chunk, null)
      return module
    } catch (error) {
      if (!isLoadingFailure(error)) {
        setProblem(chunk, null)
        throw error
      }
      const page = await askForPage()
      if (page !== 'unreachable') answered += 1
      const isGivenUp = answered >= MAX_ANSWERED_FAILURES
      if (page === 'same' && !isGivenUp) continue
      const isReloading = page === 'same' && reloadPage()
      setProblem(chunk, page !== 'unreachable' && !isReloading ? 'outdated' : 'offline')
      await untilRetry()
    }
  }
}

/** `React.lazy` over `loadChunk`: suspends, with the offline state, until its file can be loaded. */
// biome-ignore lint/suspicious/noExplicitAny: React.lazy's own constraint
export function lazyPart<Part extends ComponentType<any>>(load: () => Promise<{ default: Part }>) {
  return lazy(() => loadChunk(load))
}
