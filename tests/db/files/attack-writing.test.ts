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
  pending,
  SVG,
  stranger,
  victim,
} from './attack-stage'
import { addDevice, announce, PDF, type Person } from './support'

const LNK = Buffer.from('4c0000000114020000000000c000000000000046'.padEnd(200, '0'), 'hex')

describe('an attacker who tries to write files', () => {
  openAttack(60)

  it('writes to no path that it did not announce', async () => {
    const send = (who: Person, path: string, headers = {}) =>
      ask(`/object/files/${path}`, {
        method: 'POST',
        headers: { ...who.headers, ...headers },
        body: 'x'.repeat(100),
      })
    for (const who of [stranger, insider])
      for (const path of [pending.path, file.path, draft.path, `${pending.path}.webp`]) {
        isRefused(await send(who, path))
        isRefused(await send(who, path, { 'x-upsert': 'true' }))
      }
    // Nor the uploader, once the upload has ended.
    isRefused(await send(victim, file.path))
    isRefused(await send(victim, file.path, { 'x-upsert': 'true' }))
    isRefused(await ask(`/object/files/${file.path}`, { method: 'PUT', headers: victim.headers, body: 'x' }))
    isRefused(await send(victim, `${file.path}.webp`))
    isRefused(await send(victim, `${company}/${crypto.randomUUID()}`))
    isRefused(
      await ask('/object/move', {
        headers: jsonHeaders(victim),
        ...json({ bucketId: 'files', sourceKey: file.path, destinationKey: pending.path }),
      }),
    )
    isRefused(
      await ask('/object/copy', {
        headers: jsonHeaders(victim),
        ...json({ bucketId: 'files', sourceKey: file.path, destinationKey: pending.path }),
      }),
    )
    isRefused(
      await ask(`/object/upload/sign/files/${pending.path}`, { method: 'POST', headers: stranger.headers }),
    )
    expect(
      (
        await ask('/object/files', {
          method: 'DELETE',
          headers: jsonHeaders(stranger),
          body: JSON.stringify({ prefixes: [file.path] }),
        })
      ).text,
    ).toBe('[]')
    isRefused(await ask(`/object/files/${file.path}`, { method: 'DELETE', headers: stranger.headers }))
    const { data } = await victim.client.storage.from('files').download(file.path)
    expect(Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer())).toEqual(PDF)
  })

  it('forges nothing in the table of files', async () => {
    const rest = (who: Person, path: string, method: string, body: unknown) => {
      attempts.count++
      return fetch(`${backend.url}/rest/v1/${path}`, {
        method,
        headers: { ...jsonHeaders(who), prefer: 'return=representation' },
        body: JSON.stringify(body),
      }).then(async (answer) => ({ status: answer.status, rows: (await answer.json()) as unknown }))
    }
    const row = { company_id: company, resource: 'devices', record_id: device, name: 'x.txt', size: 10 }
    const own = { ...row, record_id: null }
    const forgeries: [Person, object][] = [
      [stranger, row],
      [stranger, own],
      [insider, row],
      [insider, own],
      [victim, { ...row, path: file.path }],
      [victim, { ...row, id: file.id }],
      [victim, { ...row, created_by: insider.id }],
      [victim, { ...row, uploaded_at: '2026-01-01' }],
      [victim, { ...row, type: 'image/png' }],
      [victim, { ...row, has_preview: true }],
      [victim, { ...row, size: 0 }],
      [victim, { ...row, size: -1 }],
      [victim, { ...row, size: 5 * 1024 * 1024 }],
      [victim, { ...row, resource: 'files' }],
      [victim, { ...row, resource: 'user_roles' }],
      [victim, { ...row, resource: 'devices; drop table files' }],
      [victim, { ...row, resource: 'groups' }],
      [victim, { ...row, field: 'name' }],
      [victim, { ...row, record_id: crypto.randomUUID() }],
      [victim, { ...row, name: 'run.lnk' }],
      [victim, { ...row, name: 'invoice.pdf.exe' }],
      [victim, { ...row, name: 'SETUP.BAT ' }],
      [victim, { ...row, name: 'a.hta.' }],
      [victim, { ...row, name: 'x'.repeat(5000), size: 5 * 1024 * 1024 }],
    ]
    for (const [who, body] of forgeries)
      expect(
        (await rest(who, 'files', 'POST', body)).status,
        JSON.stringify(body).slice(0, 200),
      ).toBeGreaterThanOrEqual(400)
    for (const [who, id] of [
      [stranger, file.id],
      [insider, file.id],
      [insider, draft.id],
      [stranger, draft.id],
    ] as const) {
      expect((await rest(who, `files?id=eq.${id}`, 'DELETE', undefined)).rows).toEqual([])
      expect((await rest(who, `files?id=eq.${id}`, 'PATCH', { record_id: device })).rows).toEqual([])
      expect((await rest(who, 'rpc/finish_file', 'POST', { file_id: id })).status).toBe(404)
      expect(
        (await rest(who, 'rpc/attach_files', 'POST', { ids: [id], resource: 'devices', record_id: device }))
          .status,
      ).toBeGreaterThanOrEqual(400)
    }
    // A draft is attached to no record of another company, and to none that its owner may not edit.
    const foreign = await addDevice(
      backend,
      (
        await backend.sql<{ id: string }>(
          'select company_id as id from public.user_roles where user_id = $1',
          [stranger.id],
        )
      )[0]?.id ?? '',
    )
    expect((await rest(victim, `files?id=eq.${draft.id}`, 'PATCH', { record_id: foreign })).status).toBe(403)
    expect((await rest(victim, 'rpc/finish_file', 'POST', { file_id: pending.id })).rows).toMatchObject({
      hint: 'file_unfinished',
    })
    expect(
      (await rest(stranger, 'rpc/file_limits', 'POST', { resource: 'devices', company_id: company })).status,
    ).toBe(403)
  })

  it('gets no program in, whatever it is called', async () => {
    const programs: [string, Buffer][] = [
      ['holiday.jpg', LNK],
      ['report.pdf', Buffer.from('MZ\x90\0\x03'.padEnd(120, '\0'), 'latin1')],
      ['notes.txt', Buffer.from('#!/bin/sh\nrm -rf ~\n')],
      ['data.csv', Buffer.from('7f454c4602010100', 'hex')],
      ['link.txt', Buffer.from('; x\n[InternetShortcut]\nURL=file://evil/share\n')],
      ['start.txt', Buffer.from('[Desktop Entry]\nExec=sh\n')],
      ['setup.doc.bin', Buffer.from('d0cf11e0a1b11ae1'.padEnd(100, '0'), 'hex')],
      ['lib.zip', Buffer.from('PK\x03\x04....META-INF/MANIFEST.MF', 'latin1')],
    ]
    for (const [name, bytes] of programs) {
      const announced = await announce(victim, { company, record: device, name, size: bytes.length })
      const answer = await ask(`/object/files/${announced.path}`, {
        method: 'POST',
        headers: { ...victim.headers, 'content-type': 'image/png' },
        body: new Uint8Array(bytes),
      })
      expect([answer.status, (JSON.parse(answer.text) as { hint: string }).hint], name).toEqual([
        415,
        'file_program',
      ])
      expect(await backend.sql('select 1 from storage.objects where name = $1', [announced.path])).toEqual([])
    }
  })

  it('sends no other size than it announced, and no preview but a picture', async () => {
    const send = async (size: number, body: string) => {
      const { path, id } = await announce(victim, { company, record: device, name: 'a.txt', size })
      const answer = await ask(`/object/files/${path}`, { method: 'POST', headers: victim.headers, body })
      isRefused(answer)
      attempts.count++
      expect((await victim.client.rpc('finish_file', { file_id: id })).error).toMatchObject({
        hint: 'file_unfinished',
      })
    }
    await send(10, 'x'.repeat(11))
    await send(10, 'x'.repeat(9))
    await send(10, '')
    await send(10, 'x'.repeat(3_000_000))
    isRefused(
      await ask(`/object/files/${pending.path}.webp`, {
        method: 'POST',
        headers: victim.headers,
        body: new Uint8Array(SVG),
      }),
    )
    isRefused(
      await ask(`/object/files/${pending.path}.webp`, {
        method: 'POST',
        headers: victim.headers,
        body: Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'), Buffer.alloc(600_000)]),
      }),
    )
  })
})
