import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Backend } from './http/context'

/** The release that an agent checks before it runs the bundle named by `sha256`; `agent/update/release.ts` reads it. */
export interface AgentRelease {
  version: string
  sha256: string
  size: number
  /** Agents refuse what was published before the newest that they have run. */
  published_at: string
  /** Ed25519, in base64, over the four above as `signedText` puts them. */
  signature: string
  /** SPKI, DER, in base64: what a device pins when it is enrolled or installed. */
  public_key: string
}

export const signedText = ({
  version,
  sha256,
  size,
  published_at,
}: Omit<AgentRelease, 'signature' | 'public_key'>): string =>
  `konsol-agent-release\n${version}\n${sha256}\n${size}\n${published_at}\n`

const privateKey = (key: string) =>
  createPrivateKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'pkcs8' })

export const agentPublicKey = (key: string): string =>
  createPublicKey(privateKey(key)).export({ format: 'der', type: 'spki' }).toString('base64')

interface Bundle {
  program: Buffer
  version: string
  sha256: string
}

/** The first line, as `agent/build.ts` writes it. */
const VERSION = /^\/\/ konsol-agent (\S{1,40})\n/

/** The bundled agent of a folder, signed and published in the database, and again when another is put in its place. */
export class AgentReleases {
  #bundle: Bundle | null = null
  #stamp = ''
  #release: { of: Bundle; core: unknown; key: string; promise: Promise<AgentRelease> } | null = null

  constructor(
    private readonly backend: Pick<Backend, 'core' | 'keys'>,
    readonly folder: string,
  ) {}

  /** Null where the agent has not been built. */
  bundle(): Bundle | null {
    const file = join(this.folder, 'agent.mjs')
    const stat = statSync(file, { throwIfNoEntry: false })
    if (!stat) return null
    const stamp = `${stat.mtimeMs} ${stat.size} ${stat.ino}`
    if (stamp !== this.#stamp || !this.#bundle) {
      const program = readFileSync(file)
      const sha256 = createHash('sha256').update(program).digest('hex')
      const version = VERSION.exec(program.toString('utf8', 0, 80))?.[1] ?? sha256.slice(0, 12)
      this.#bundle = { program, version, sha256 }
      this.#stamp = stamp
    }
    return this.#bundle
  }

  current(): Promise<AgentRelease> | null {
    const bundle = this.bundle()
    if (!bundle) return null
    const { core, keys } = this.backend
    const key = keys.agentSigningKey
    if (this.#release?.of !== bundle || this.#release.core !== core || this.#release.key !== key) {
      const promise = this.publish(bundle, key)
      this.#release = { of: bundle, core, key, promise }
      promise.catch(() => {
        this.#release = null
      })
    }
    return this.#release.promise
  }

  private async publish({ program, version, sha256 }: Bundle, key: string): Promise<AgentRelease> {
    const [row] = await this.backend.core.database.query<{ at: string | Date }>(
      'select app.publish_agent($1) as at',
      [version],
    )
    const published_at = new Date(row?.at ?? 0).toISOString()
    const release = { version, sha256, size: program.length, published_at }
    const signature = sign(null, Buffer.from(signedText(release)), privateKey(key)).toString('base64')
    return { ...release, signature, public_key: agentPublicKey(key) }
  }
}
