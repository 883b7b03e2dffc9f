import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAccount } from '../support/accounts'
import type { Machine } from './support/machine'
import { backend, company, device, openSite, outcomeOf } from './support/site'

describe.skipIf(process.platform !== 'linux')('on a device', () => {
  openSite()

  it('installs a package that was uploaded, which the console gives to no other run or device', async () => {
    const admin = await backend.client((await createAccount(backend, 'Admin', company)).email)
    const { data: app } = await admin
      .from('corporate_apps')
      .insert({ company_id: company, name: 'Uploaded', package_version: '1', platform: 'linux' })
      .select('id')
      .single()
      .throwOnError()
    const folder = mkdtempSync(join(tmpdir(), 'konsol-uploads-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const done = join(folder, 'uploaded-is-there')
    const text = `#!/bin/bash\ntouch ${done}\n# ${'x'.repeat(300_000)}\n`
    const bytes = Buffer.from(text)
    const token = (await admin.auth.getSession()).data.session?.access_token
    const announced = await admin
      .from('files')
      .insert({
        company_id: company,
        resource: 'corporate_app_files',
        field: 'file_id',
        name: 'setup.sh',
        size: bytes.length,
      })
      .select('id,path')
      .single()
      .throwOnError()
    const upload = announced.data.id
    const headers = {
      apikey: backend.publishableKey,
      authorization: `Bearer ${token}`,
      'tus-resumable': '1.0.0',
    }
    const opened = await fetch(`${backend.url}/storage/v1/upload/resumable`, {
      method: 'POST',
      headers: {
        ...headers,
        'upload-length': String(bytes.length),
        'upload-metadata': `bucketName ${btoa('files')},objectName ${btoa(announced.data.path)}`,
      },
    })
    const place = opened.headers.get('location') ?? ''
    const put = (offset: number, part: Buffer, change = {}) =>
      fetch(`${backend.url}${place}`, {
        method: 'PATCH',
        headers: {
          ...headers,
          'content-type': 'application/offset+octet-stream',
          'upload-offset': String(offset),
          ...change,
        },
        body: new Uint8Array(part),
      })
    expect((await put(0, bytes.subarray(0, 200_000))).headers.get('upload-offset')).toBe('200000')
    // Not in the middle, and not by somebody else.
    expect((await put(0, bytes.subarray(0, 10))).status).toBe(409)
    const other = await backend.client((await createAccount(backend, 'Admin', company)).email)
    const theirs = (await other.auth.getSession()).data.session?.access_token
    expect((await put(200_000, Buffer.from('x'), { authorization: `Bearer ${theirs}` })).status).toBe(403)
    expect((await put(200_000, bytes.subarray(200_000))).headers.get('upload-offset')).toBe(
      String(bytes.length),
    )
    await admin.rpc('finish_file', { file_id: upload }).throwOnError()
    const version = { corporate_app_id: app.id, package_version: '2', file_id: upload }
    expect((await other.rpc('add_package_version', version)).error?.code).toBe('PT404')
    await admin.rpc('add_package_version', version).throwOnError()
    const { data: added } = await admin
      .from('corporate_app_files')
      .select('sha256,is_current')
      .eq('id', upload)
      .single()
      .throwOnError()
    expect(added).toEqual({ sha256: createHash('sha256').update(bytes).digest('hex'), is_current: true })

    const { machine, id } = await device()
    const bystander = await device()
    const { data: job } = await admin
      .rpc('run_corporate_app', { corporate_app_id: app.id, device_ids: [id] })
      .throwOnError()
    const [run] = await backend.sql<{ id: string }>('select id from public.job_runs where job_id = $1', [job])
    const download = async (of: Machine, runId: string, change = {}) => {
      const { deviceId, secret } = JSON.parse(readFileSync(join(of.dataDir, 'device.json'), 'utf8'))
      const response = await fetch(`${backend.url}/agent/package`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', apikey: backend.publishableKey },
        body: JSON.stringify({ payload: { device_id: deviceId, secret, run_id: runId, ...change } }),
      })
      return [response.status, ((await response.json()) as { message: string }).message]
    }
    const refused = [401, 'The device credentials are not valid.']
    const runId = run?.id ?? ''
    expect(await download(bystander.machine, runId)).toEqual(refused)
    expect(await download(machine, randomUUID())).toEqual(refused)
    expect(await download(machine, runId, { secret: 'f'.repeat(64) })).toEqual(refused)
    // Queued, and not claimed yet.
    expect(await download(machine, runId)).toEqual(refused)

    await machine.start([])
    const ended = await outcomeOf(job)
    expect(ended.output).toContain(`Downloaded ${bytes.length} bytes; the checksum is right.`)
    expect([ended.status, existsSync(done)]).toEqual(['succeeded', true])
    expect(await download(machine, runId)).toEqual(refused)

    // The bytes on the disk of the console are others than were uploaded.
    await backend.sql('update public.corporate_app_files set sha256 = $2 where id = $1', [
      upload,
      '0'.repeat(64),
    ])
    rmSync(done)
    const { data: forged } = await admin
      .rpc('run_corporate_app', { corporate_app_id: app.id, device_ids: [id] })
      .throwOnError()
    expect(await outcomeOf(forged)).toMatchObject({
      status: 'failed',
      output: expect.stringContaining('has another checksum, so it was not installed'),
    })
    expect(existsSync(done)).toBe(false)

    const { data: late } = await admin
      .rpc('run_corporate_app', { corporate_app_id: app.id, device_ids: [bystander.id] })
      .throwOnError()
    await admin.from('corporate_app_files').delete().eq('id', upload).throwOnError()
    await bystander.machine.start([])
    expect(await outcomeOf(late)).toMatchObject({
      status: 'failed',
      output: expect.stringContaining('The console does not have the file any more'),
    })
  })
})
