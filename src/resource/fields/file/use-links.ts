import { useEffect, useState } from 'react'
import { signedLinks } from '@/data/files'

/** Seconds that a link lives. It is renewed a minute before. */
const LINK_SECONDS = 300
const FRESH_MS = (LINK_SECONDS - 60) * 1000
/** The cells of a list ask one by one, and in one request. */
const GATHER_MS = 20

interface Known {
  link: string | null
  until: number
}

const known = new Map<string, Known>()
let wanted = new Set<string>()
let gathering: Promise<void> | null = null

async function readWanted(): Promise<void> {
  await new Promise((done) => setTimeout(done, GATHER_MS))
  const paths = [...wanted]
  wanted = new Set()
  gathering = null
  const links = await signedLinks(paths, LINK_SECONDS)
  for (const path of paths) known.set(path, { link: links.get(path) ?? null, until: Date.now() + FRESH_MS })
}

async function linksOf(paths: readonly string[]): Promise<Map<string, string>> {
  const missing = paths.filter((path) => (known.get(path)?.until ?? 0) < Date.now())
  if (missing.length > 0) {
    for (const path of missing) wanted.add(path)
    gathering ??= readWanted()
    await gathering
  }
  return new Map(
    paths.flatMap((path) => {
      const link = known.get(path)?.link
      return link ? [[path, link] as const] : []
    }),
  )
}

const NONE: ReadonlyMap<string, string> = new Map()

/** Links to objects, by path, for pictures on a page. A picture without one is not shown. */
export function useLinks(paths: readonly string[]): ReadonlyMap<string, string> {
  const [links, setLinks] = useState(NONE)
  const asked = paths.join('\n')
  useEffect(() => {
    if (asked === '') return
    let isCurrent = true
    const read = () =>
      linksOf(asked.split('\n')).then(
        (found) => {
          if (isCurrent) setLinks(found)
        },
        () => undefined,
      )
    void read()
    const timer = setInterval(read, FRESH_MS)
    return () => {
      isCurrent = false
      clearInterval(timer)
    }
  }, [asked])
  return links
}
