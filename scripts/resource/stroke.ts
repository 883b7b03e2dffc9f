import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** Several files written as one: either all of them, or after `undo` none. */
export class Stroke {
  private readonly before = new Map<string, string | null>()
  constructor(private readonly root: string) {}

  /** Remembers a file that something else is about to write. */
  keep(path: string): void {
    if (!this.before.has(path)) this.before.set(path, read(join(this.root, path)))
  }

  write(path: string, text: string): void {
    this.keep(path)
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    writeFileSync(join(this.root, path), text)
  }

  /** What was written, relative to the root. */
  written(): string[] {
    return [...this.before.keys()].filter((path) => read(join(this.root, path)) !== this.before.get(path))
  }

  undo(): void {
    for (const [path, text] of this.before) {
      if (text === null) rmSync(join(this.root, path), { force: true })
      else writeFileSync(join(this.root, path), text)
    }
  }
}
