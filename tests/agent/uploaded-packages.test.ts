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
    const { data: upload } = await admin
      .rpc('begin_package_upload', {
        corporate_app_id: app.id,
        package_version: '2',
        file_name: 'setup.sh',
        size_bytes: bytes.length,
      })
      .throwOnError()
    const token = (await admin.auth.getSession()).data.session?.access_token
    const headers = { apikey: backend.publishableKey, authorization: `Bearer ${token}` }
    const put = (offset: number, part: Buffer) =>
      fetch(`${backend.url}/packages/v1/${upload}?offset=${offset}`, {
        method: 'PUT',
        headers,
        body: new Uint8Array(part),
      })
    expect(await (await put(0, bytes.subarray(0, 200_000))).json()).toEqual({
      received: 200_000,
      sha256: null,
    })
    // Not in the middle, not twice, not more than announced, and not by somebody else.
    expect((await put(0, bytes.subarray(0, 10))).status).toBe(409)
    expect((await put(200_000, Buffer.alloc(bytes.length))).status).toBe(413)
    const other = await backend.client((await createAccount(backend, 'Admin', company)).email)
    const theirs = (await other.auth.getSession()).data.session?.access_token
    const foreign = await fetch(`${backend.url}/packages/v1/${upload}?offset=200000`, {
      method: 'PUT',
      headers: { ...headers, authorization: `Bearer ${theirs}` },
      body: 'x',
    })
    expect(foreign.status).toBe(404)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect(await (await put(200_000, bytes.subarray(200_000))).json()).toEqual({
      received: bytes.length,
      sha256,
    })
    expect((await other.rpc('finish_package_upload', { upload_id: upload })).error?.code).toBe('PT404')
    await admin.rpc('finish_package_upload', { upload_id: upload }).throwOnError()

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
