import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { downloadProgram, fetchRelease, isSigned } from '../../agent/update/release'
import { type AgentRelease, signedText } from '../../supabase/embedded/agent-release'

const pair = generateKeyPairSync('ed25519')
const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
const program = '// konsol-agent 1.0.0+aaaaaaaaaaaa\n'

let server: Server
let url: string
let served: { release: unknown; program: string | null }

/** As the server signs it. */
function signed(more: Partial<AgentRelease> = {}): AgentRelease {
  const content = {
    version: '1.0.0+aaaaaaaaaaaa',
    sha256: createHash('sha256').update(program).digest('hex'),
    size: program.length,
    published_at: '2026-11-25T10:00:00.000Z',
    ...more,
  }
  const signature = sign(null, Buffer.from(signedText(content)), pair.privateKey).toString('base64')
  return { ...content, signature, public_key: publicKey }
}

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/agent/release.json') return response.end(JSON.stringify(served.release))
    if (request.url === '/agent/agent.mjs' && served.program !== null) return response.end(served.program)
    response.writeHead(302, { location: '/agent/release.json' })
    response.end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  url = `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`
})
afterAll(() => new Promise((done) => server.close(done)))
beforeEach(() => {
  served = { release: signed(), program }
})

const download = async ({ signingKey = publicKey as string | null, newest = null as string | null } = {}) =>
  downloadProgram(url, await fetchRelease(url), { signingKey, newest })

describe('a release', () => {
  it('that is what its key has signed is downloaded', async () => {
    expect((await download()).toString()).toBe(program)
    expect((await download({ newest: '2026-11-25T10:00:00.000Z' })).toString()).toBe(program)
  })

  it.each([
    ['another version', { version: '1.0.1+aaaaaaaaaaaa' }],
    ['another checksum', { sha256: 'b'.repeat(64) }],
    ['another size', { size: 1 }],
    ['a later date', { published_at: '2027-01-01T00:00:00.000Z' }],
    ['a made-up signature', { signature: 'AAAA' }],
  ])('that was changed to %s is refused', async (_what, change) => {
    served.release = { ...signed(), ...change }
    await expect(download()).rejects.toMatchObject({ reason: 'signature' })
  })

  it('is refused by a device that trusts another key, whatever key it brings, and by one that trusts none', async () => {
    const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' })
    await expect(download({ signingKey: other.toString('base64') })).rejects.toMatchObject({
      reason: 'signature',
    })
    await expect(download({ signingKey: null })).rejects.toMatchObject({ reason: 'signature' })
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({
      format: 'der',
      type: 'spki',
    })
    expect(isSigned(await fetchRelease(url), weak.toString('base64'))).toBe(false)
    expect(isSigned(await fetchRelease(url), 'no key')).toBe(false)
  })

  it('of before the newest that ran here is refused, however well it is signed', async () => {
    await expect(download({ newest: '2026-11-25T10:00:00.001Z' })).rejects.toMatchObject({ reason: 'older' })
  })

  it('whose bundle was changed on the way is not taken, and not given up either', async () => {
    served.program = program.replace('konsol', 'kansol')
    const refused = await download().catch((error: unknown) => error)
    expect(refused).toMatchObject({ message: 'the download does not match its signed checksum' })
    expect(refused).not.toHaveProperty('reason')
    served.program = 'x'.repeat(21_000_000)
    await expect(download()).rejects.toThrow('too large')
    // Nobody chose where a redirect leads.
    served.program = null
    await expect(download()).rejects.toThrow()
  })

  it.each([
    ['no object', null],
    ['a version that is a path', signed({ version: '../../evil' })],
    ['no date', signed({ published_at: 'soon' })],
    ['half of it', { version: '1.0.0' }],
  ])('with %s is not taken for a release', async (_what, release) => {
    served.release = release
    await expect(fetchRelease(url)).rejects.toThrow('The server serves no agent')
  })
})
