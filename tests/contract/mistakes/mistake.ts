/** An entry's changes to the scratch tree of `tree.ts`. Everything else stays right. */
export interface Change {
  /** Merged into `resources/printers.json`; an array or a scalar replaces, `undefined` removes. */
  printers?: Patch
  rooms?: Patch
  suppliers?: Patch
  print_jobs?: Patch
  /** Texts by resource, merged into `locales/<language>/resources/<resource>.json`; `undefined` removes the file. */
  en?: Patch
  tr?: Patch
  /** Lines added to the end of a file: `policies/admin.csv`. */
  append?: Record<string, string>
  /** Texts replaced in a file, the first occurrence each. */
  replace?: Record<string, readonly (readonly [from: string, to: string])[]>
  /** Whole new files; `null` removes one. */
  files?: Record<string, string | null>
  /** SQL that runs before the catalog is read, and the SQL that takes it back. */
  sql?: readonly [up: string, down: string]
}

export type Patch = { [key: string]: unknown }

export interface Mistake extends Change {
  /** Names the kind of mistake; several entries may share one. */
  sort: string
  /** A plain sentence. */
  what: string
  /** The file that is reported. Default: `resources/printers.json`. */
  in?: string
  /**
   * The text on the reported line: `"cost" > "max"` is the first line with `"max"` from the first with `"cost"` on. Of
   * several places that contradict each other, any. The first line when it is empty.
   */
  at: string | readonly string[]
  /** The message or its hint contains one of these: the cause. */
  about: string | readonly string[]
}

/** A definition that looks wrong and is right. */
export interface Right extends Change {
  what: string
  /** A resource of its own with its own table, texts and permission lines. */
  definition?: { name: string; fields: Patch } & Patch
}
