import { connect } from 'node:net'
import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import {
  ask,
  attempts,
  backend,
  company,
  device,
  draft,
  file,
  insider,
  isRefused,
  json,
  jsonHeaders,
  openAttack,
  SVG,
  stranger,
  victim,
} from './attack-stage'
import { PDF, upload } from './support'

const HTML = Buffer.from('\ufeff  <!doctype html><script>alert(document.cookie)</script>')
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

describe('an attacker who tries to read files', () => {
  openAttack(100)

  it('reads no file by its path, in any spelling', async () => {
    const spellings = (path: string) => [
      `/object/files/${path}`,
      `/object/authenticated/files/${path}`,
      `/object/public/files/${path}`,
      `/object/info/files/${path}`,
      `/object/info/authenticated/files/${path}`,
      `/object/files//${path}`,
      `/object/files/./${path}`,
      `/object/files/${path.replace('/', '%2f')}`,
      `/object/files/${path.replace('/', '%2F..%2F')}`,
      `/render/image/authenticated/files/${path}`,
      `/object/files/${path.toUpperCase()}`,
    ]
    for (const who of [stranger, insider])
      for (const path of [file.path, draft.path, `${file.path}.webp`])
        for (const spelled of spellings(path)) isRefused(await ask(spelled, { headers: who.headers }))
    isRefused(await ask(`/object/files/${file.path}`))
    isRefused(await ask(`/object/files/${file.path}`, { headers: { apikey: backend.publishableKey } }))
    isRefused(
      await ask(`/object/files/${file.path}`, {
        headers: { apikey: backend.publishableKey, authorization: `Bearer ${backend.publishableKey}` },
      }),
    )
  })

  it('leaves the folder of the storage by no path', async () => {
    const paths = [
      '../keys.json',
      '..%2f..%2fkeys.json',
      '%2e%2e/%2e%2e/etc/passwd',
      `${company}/../../keys.json`,
      `${company}/..%5c..%5ckeys.json`,
      '/etc/passwd',
      'uploads/',
      `${company}/${file.id}%00.webp`,
      `${company}/${file.id}/x`,
    ]
    for (const path of paths) {
      isRefused(await ask(`/object/files/${path}`, { headers: victim.headers }))
      isRefused(await ask(`/object/files/${path}`, { method: 'POST', headers: victim.headers, body: 'x' }))
      const metadata = `bucketName ${Buffer.from('files').toString('base64')},objectName ${Buffer.from(path).toString('base64')}`
      isRefused(
        await ask('/upload/resumable', {
          method: 'POST',
          headers: {
            ...victim.headers,
            'tus-resumable': '1.0.0',
            'upload-length': '1',
            'upload-metadata': metadata,
          },
        }),
      )
      const id = Buffer.from(`files/${path}`).toString('base64url')
      isRefused(
        await ask(`/upload/resumable/${id}`, {
          method: 'PATCH',
          headers: {
            ...victim.headers,
            'tus-resumable': '1.0.0',
            'upload-offset': '0',
            'content-type': 'application/offset+octet-stream',
          },
          body: 'x',
        }),
      )
    }
  })

  it('lists nothing of others', async () => {
    for (const who of [stranger, insider])
      for (const prefix of ['', company, `${company}/`, '../', `${company}' or '1'='1`]) {
        const { status, text } = await ask('/object/list/files', {
          headers: jsonHeaders(who),
          ...json({ prefix, limit: 1000 }),
        })
        expect([status, JSON.parse(text)]).toEqual([200, []])
      }
    const own = await ask('/object/list/files', { headers: jsonHeaders(victim), ...json({ prefix: '' }) })
    expect(JSON.parse(own.text)).toEqual([])
    expect((await ask('/bucket', { headers: stranger.headers })).text).toBe('[]')
    isRefused(await ask('/bucket/files', { headers: stranger.headers }))
    isRefused(
      await ask('/bucket', { headers: jsonHeaders(stranger), ...json({ name: 'mine', public: true }) }),
    )
    isRefused(
      await ask('/bucket/files', { method: 'PUT', headers: jsonHeaders(stranger), body: '{"public":true}' }),
    )
    isRefused(await ask('/bucket/files/empty', { method: 'POST', headers: victim.headers }))
  })

  it('makes no link to a file of others, and none that lives for days', async () => {
    for (const who of [stranger, insider]) {
      isRefused(
        await ask(`/object/sign/files/${file.path}`, {
          headers: jsonHeaders(who),
          ...json({ expiresIn: 60 }),
        }),
      )
      const { text } = await ask('/object/sign/files', {
        headers: jsonHeaders(who),
        ...json({ expiresIn: 60, paths: [file.path, draft.path, `../${file.path}`] }),
      })
      expect((JSON.parse(text) as { signedURL: unknown }[]).map(({ signedURL }) => signedURL)).toEqual([
        null,
        null,
        null,
      ])
    }
    const { text } = await ask(`/object/sign/files/${file.path}`, {
      headers: jsonHeaders(victim),
      ...json({ expiresIn: 10 * 365 * 86_400 }),
    })
    const token = String((JSON.parse(text) as { signedURL: string }).signedURL).split('token=')[1] ?? ''
    const { exp, iat } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      exp: number
      iat: number
    }
    expect(exp - iat).toBeLessThanOrEqual(3600)
  })

  it('opens nothing with a link that is forged, expired, of another file, or of a file that was deleted', async () => {
    const linkOf = async (path: string) => {
      const { text } = await ask(`/object/sign/files/${path}`, {
        headers: jsonHeaders(victim),
        ...json({ expiresIn: 60 }),
      })
      return (JSON.parse(text) as { signedURL: string }).signedURL
    }
    const link = await linkOf(file.path)
    expect((await ask(link)).status).toBe(200)
    const token = link.split('token=')[1] ?? ''
    isRefused(await ask(link.replace(file.path, draft.path)))
    isRefused(await ask(link.slice(0, -2)))
    isRefused(await ask(`/object/sign/files/${file.path}`))
    isRefused(await ask(`/object/sign/files/${file.path}?token=${victim.token}`))
    isRefused(
      await ask(`/object/files/${file.path}`, {
        headers: { ...stranger.headers, authorization: `Bearer ${token}` },
      }),
    )
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`
    isRefused(await ask(`/object/sign/files/${file.path}?token=${none}`))
    const forge = (key: Uint8Array, seconds: number) =>
      new SignJWT({ url: `files/${file.path}` })
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuedAt()
        .setExpirationTime(Math.floor(Date.now() / 1000) + seconds)
        .sign(key)
    isRefused(await ask(`/object/sign/files/${file.path}?token=${await forge(Buffer.from('guess'), 60)}`))
    isRefused(
      await ask(
        `/object/sign/files/${file.path}?token=${await forge(Buffer.from(backend.publishableKey), 60)}`,
      ),
    )
    const shortLink = await ask(`/object/sign/files/${file.path}`, {
      headers: jsonHeaders(victim),
      ...json({ expiresIn: 1 }),
    })
    const short = (JSON.parse(shortLink.text) as { signedURL: string }).signedURL
    await new Promise((done) => setTimeout(done, 2_100))
    isRefused(await ask(short))
    const gone = await upload(victim, PDF, { company, record: device })
    const goneLink = await linkOf(gone.path)
    expect((await ask(goneLink)).status).toBe(200)
    await victim.client.from('files').delete().eq('id', gone.id).throwOnError()
    isRefused(await ask(goneLink))
  })

  it('gets nothing run that is served', async () => {
    const active: [string, Buffer, string][] = [
      ['logo.svg', SVG, 'application/octet-stream'],
      ['page.png', HTML, 'application/octet-stream'],
      ['feed.xml', Buffer.from('<?xml version="1.0"?><x/>'), 'application/octet-stream'],
      ['contract.pdf', PDF, 'application/pdf'],
      ['notes.txt', Buffer.from('plain'), 'text/plain; charset=utf-8'],
      // A bomb stays a file: nothing here unpacks it.
      ['bomb.zip', Buffer.from('PK\x03\x04'.padEnd(1000, '\0'), 'latin1'), 'application/zip'],
    ]
    for (const [name, bytes, type] of active) {
      const served = await upload(victim, bytes, { company, record: device, name })
      for (const query of ['', '?download=', '?download=x%22%0d%0aset-cookie:%20a=b']) {
        const { headers, status } = await ask(`/object/files/${served.path}${query}`, {
          headers: victim.headers,
        })
        expect(status).toBe(200)
        expect(headers.get('content-disposition')).toMatch(/^attachment; /)
        expect(headers.get('content-security-policy')).toBe(`sandbox; default-src 'none'`)
        expect(headers.get('x-content-type-options')).toBe('nosniff')
        expect(headers.get('content-type')).toBe(type)
        expect(headers.get('set-cookie')).toBeNull()
      }
    }
    const picture = await upload(victim, PNG, { company, record: device, name: 'evil.html' })
    const { headers } = await ask(`/object/files/${picture.path}`, { headers: victim.headers })
    expect([headers.get('content-type'), headers.get('content-disposition')?.split(';')[0]]).toEqual([
      'image/png',
      'inline',
    ])
    expect(headers.get('content-security-policy')).toBe(`sandbox; default-src 'none'`)
  })

  it('asks for ranges that are answered with what there is', async () => {
    const range = async (value: string) => {
      const { status, text, headers } = await ask(`/object/files/${file.path}`, {
        headers: { ...victim.headers, range: value },
      })
      return [status, text.length, headers.get('content-range')]
    }
    const size = PDF.length
    expect(await range('bytes=0-3')).toEqual([206, 4, `bytes 0-3/${size}`])
    expect(await range('bytes=-5')).toEqual([206, 5, `bytes ${size - 5}-${size - 1}/${size}`])
    expect(await range('bytes=0-99999999999999999999')).toEqual([206, size, `bytes 0-${size - 1}/${size}`])
    expect((await range(`bytes=${size}-`))[0]).toBe(416)
    expect((await range('bytes=9-2'))[0]).toBe(416)
    expect(await range('bytes=0-0,1-1,2-2')).toEqual([200, size, null])
    expect(await range('bytes=-')).toEqual([200, size, null])
    expect(await range('lines=1-2')).toEqual([200, size, null])
  })

  it('breaks nothing with headers that are too long or malformed', async () => {
    const raw = (lines: string[]) =>
      new Promise<string>((done, fail) => {
        attempts.count++
        const { hostname, port } = new URL(backend.url)
        let text = ''
        const socket = connect(Number(port), hostname, () => socket.write(`${lines.join('\r\n')}\r\n\r\n`))
        socket.on('data', (data) => {
          text += data.toString()
          socket.end()
        })
        socket.on('close', () => done(text.split('\r\n')[0] ?? ''))
        socket.on('error', fail)
      })
    const start = [`GET /storage/v1/object/files/${file.path} HTTP/1.1`, 'Host: x']
    expect(await raw([...start, `apikey: ${'a'.repeat(70_000)}`])).toMatch(/ 4\d\d /)
    expect(await raw([...start, `Range: ${'bytes=0-1,'.repeat(5_000)}`])).toMatch(/ 4\d\d /)
    const tus = { ...victim.headers, 'tus-resumable': '1.0.0' }
    isRefused(
      await ask('/upload/resumable', {
        method: 'POST',
        headers: { ...tus, 'upload-length': '-1', 'upload-metadata': 'bucketName' },
      }),
    )
    isRefused(
      await ask('/upload/resumable', {
        method: 'POST',
        headers: { ...tus, 'upload-length': '1e99', 'upload-metadata': ','.repeat(3_000) },
      }),
    )
    isRefused(await ask('/upload/resumable/AAAA', { method: 'HEAD', headers: tus }))
    isRefused(await ask('/upload/resumable', { method: 'POST', headers: victim.headers }))
    expect((await fetch(`${backend.url}/healthz`)).status).toBe(200)
  })
})
