// @ts-check
// Plain JavaScript: the database's thread starts without a TypeScript loader.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'

const BLOCK = 512
const DIRECTORY = '5'

/** @typedef {{ name: string, type: string, content: Uint8Array, whole: Uint8Array }} Entry */
/** @typedef {{ mkdirTree: (path: string) => void, writeFile: (path: string, content: Uint8Array, how: { canOwn: boolean }) => void }} FileSystem */

/**
 * @param {Uint8Array} header
 * @param {number} from
 * @param {number} length
 */
function text(header, from, length) {
  const field = Buffer.from(header.subarray(from, from + length))
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? length : end)
}

/**
 * Reads the archive of PGlite's `dumpDataDir`: ustar with short names, in gzip.
 * @param {Uint8Array} tar
 * @returns {Generator<Entry>}
 */
function* entriesOf(tar) {
  let at = 0
  while (at + BLOCK <= tar.length && tar[at] !== 0) {
    const header = tar.subarray(at, at + BLOCK)
    const size = Number.parseInt(text(header, 124, 12), 8)
    const prefix = text(header, 345, 155)
    const start = at + BLOCK
    const end = start + Math.ceil(size / BLOCK) * BLOCK
    if (!Number.isInteger(size) || start + size > tar.length) throw new Error('The archive is damaged')
    yield {
      name: join(prefix, text(header, 0, 100)),
      type: text(header, 156, 1),
      content: tar.subarray(start, start + size),
      whole: tar.subarray(at, end),
    }
    at = end
  }
}

const WAL_SEGMENT = /pg_wal[\\/]([0-9A-F]{24})$/

/**
 * Leaves out the segments of the write-ahead log that Postgres has emptied and keeps to fill again: 16 MB each, half of
 * a new database.
 * @param {Uint8Array} tar
 * @param {{ first: string, last: string }} needed the names of the segments with the newest checkpoint and behind it
 * @returns {Uint8Array}
 */
export function withoutSpareWal(tar, { first, last }) {
  const kept = []
  for (const { name, whole } of entriesOf(tar)) {
    const segment = WAL_SEGMENT.exec(name)?.[1]
    if (segment === undefined || (segment >= first && segment <= last)) kept.push(whole)
  }
  return Buffer.concat([...kept, Buffer.alloc(2 * BLOCK)])
}

/**
 * Level 1: the database serves no other request while it packs. A seventh larger than zlib's default, in a third of
 * the time.
 * @param {Uint8Array} tar
 * @returns {ArrayBuffer}
 */
export function zip(tar) {
  const { buffer, byteOffset, byteLength } = gzipSync(tar, { level: 1 })
  return /** @type {ArrayBuffer} */ (buffer.slice(byteOffset, byteOffset + byteLength))
}

const LARGEST_CHUNK = 2 ** 28

/**
 * Unpacked into one piece, whose size the archive ends with: joining pieces takes longer than unpacking them.
 * @param {Uint8Array} packed
 */
function unzip(packed) {
  const size = Buffer.from(packed.buffer, packed.byteOffset, packed.length).readUInt32LE(packed.length - 4)
  return gunzipSync(packed, { chunkSize: Math.min(size + BLOCK, LARGEST_CHUNK) })
}

/**
 * @param {Uint8Array} packed
 * @param {string} directory
 * @param {{ makeFolder: (path: string) => void, write: (path: string, content: Uint8Array) => void }} files
 */
function unpack(packed, directory, { makeFolder, write }) {
  const made = new Set()
  makeFolder(directory)
  for (const { name, type, content } of entriesOf(unzip(packed))) {
    const path = join(directory, name)
    if (normalize(name).split(sep).includes('..'))
      throw new Error(`The archive leaves its directory: ${name}`)
    const folder = type === DIRECTORY ? path : dirname(path)
    if (!made.has(folder)) makeFolder(folder)
    made.add(folder)
    if (type !== DIRECTORY) write(path, content)
  }
}

/**
 * Writes a packed data directory to disk.
 * @param {Uint8Array} packed
 * @param {string} directory
 */
export function unpackTo(packed, directory) {
  unpack(packed, directory, {
    makeFolder: (path) => mkdirSync(path, { recursive: true, mode: 0o700 }),
    write: (path, content) => writeFileSync(path, content, { mode: 0o600 }),
  })
}

/**
 * The same in memory, into a file system of Emscripten, which keeps the unpacked bytes themselves. PGlite's own
 * `loadDataDir` copies each file, in half a second.
 * @param {Uint8Array} packed
 * @param {string} directory
 * @param {FileSystem} fs
 */
export function unpackInMemory(packed, directory, fs) {
  unpack(packed, directory, {
    makeFolder: (path) => fs.mkdirTree(path),
    write: (path, content) => fs.writeFile(path, content, { canOwn: true }),
  })
}
