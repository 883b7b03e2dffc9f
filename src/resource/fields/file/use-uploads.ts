import { useCallback, useEffect, useRef, useState } from 'react'
import { type FileRow, type FileTarget, uploadFile } from '@/data/files'

export interface Upload {
  key: string
  file: File
  sent: number
  state: 'waiting' | 'sending' | 'failed'
  error: unknown
}

const MAX_AT_ONCE = 2

/**
 * Uploads of a record, a field, or a record that is not saved yet (`recordId` null): `onUploaded` is told of each that
 * arrived. A draft becomes the record's by the function `attach_files(ids, resource, record_id)`, or by the field that
 * holds its id.
 */
export function useUploads(target: FileTarget, onUploaded: (file: FileRow) => void) {
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const running = useRef(new Map<string, AbortController>())
  const count = useRef(0)
  const current = useRef({ target, onUploaded })
  current.current = { target, onUploaded }

  const change = useCallback((key: string, changes: Partial<Upload>) => {
    setUploads((all) => all.map((each) => (each.key === key ? { ...each, ...changes } : each)))
  }, [])
  const forget = useCallback((key: string) => {
    setUploads((all) => all.filter((each) => each.key !== key))
  }, [])

  const start = useCallback(
    async ({ key, file }: Upload) => {
      const controller = new AbortController()
      running.current.set(key, controller)
      change(key, { state: 'sending', error: null })
      try {
        const row = await uploadFile(current.current.target, file, {
          signal: controller.signal,
          onProgress: (sent) => change(key, { sent }),
        })
        forget(key)
        current.current.onUploaded(row)
      } catch (error) {
        if (controller.signal.aborted) forget(key)
        else change(key, { state: 'failed', error })
      } finally {
        running.current.delete(key)
      }
    },
    [change, forget],
  )

  useEffect(() => {
    const free = MAX_AT_ONCE - uploads.filter(({ state }) => state === 'sending').length
    for (const upload of uploads.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, free)))
      if (!running.current.has(upload.key)) void start(upload)
  }, [uploads, start])

  // A page that was left sends nothing any more.
  useEffect(() => {
    const controllers = running.current
    return () => {
      for (const controller of controllers.values()) controller.abort()
    }
  }, [])

  return {
    uploads,
    isSending: uploads.some(({ state }) => state !== 'failed'),
    add: (files: readonly File[]) =>
      setUploads((all) => [
        ...all,
        ...files.map((file): Upload => {
          count.current++
          return { key: String(count.current), file, sent: 0, state: 'waiting', error: null }
        }),
      ]),
    retry: (key: string) => change(key, { state: 'waiting', error: null }),
    /** Stops an upload, or removes one that failed. */
    cancel: (key: string) => {
      const controller = running.current.get(key)
      if (controller) controller.abort()
      else forget(key)
    },
  }
}

export type Uploads = ReturnType<typeof useUploads>
