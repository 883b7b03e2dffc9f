/** Why a file cannot be read: a key under `import:problem` and what it is filled with. */
export type FileProblemKey =
  | 'empty'
  | 'tooBig'
  | 'tooMany'
  | 'tooWide'
  | 'pdf'
  | 'image'
  | 'oldExcel'
  | 'encrypted'
  | 'otherTable'
  | 'otherZip'
  | 'broken'
  | 'bomb'
  | 'binary'
  | 'openQuote'
  | 'noHeader'
  | 'noRows'

export class FileProblem extends Error {
  readonly key: FileProblemKey
  /** Figures that the sentence names. */
  readonly count: number
  constructor(key: FileProblemKey, count = 0) {
    super(key)
    this.name = 'FileProblem'
    this.key = key
    this.count = count
  }
}
