import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

export function ensureFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
}

/**
 * Replaces a file atomically and durably: when it returns, the new content is on the disk; when it throws, the file is
 * what it was before.
 */
export function writeDurably(path: string, content: string | Buffer): void {
  const draft = `${path}.${process.pid}.new`
  try {
    writeWhole(draft, Buffer.from(content))
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  syncFolder(dirname(path))
}

/** A nearly full disk takes the first part of a write and reports success. */
function writeWhole(path: string, bytes: Buffer): void {
  const file = openSync(path, 'w', 0o600)
  try {
    for (let written = 0; written < bytes.length; ) {
      const count = writeSync(file, bytes, written)
      if (count === 0) throw new Error(`${path} could not be written: the disk takes no more bytes`)
      written += count
    }
    fsyncSync(file)
    const { size } = fstatSync(file)
    if (size !== bytes.length)
      throw new Error(`${path} has ${size} bytes on the disk instead of ${bytes.length}`)
  } finally {
    closeSync(file)
  }
}

/** Makes a rename or removal in the folder lasting. Windows opens no folders, and its renames are journaled. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** The parsed file; null where it is missing or not JSON. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown
  } catch {
    return null
  }
}

export const textFile = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
