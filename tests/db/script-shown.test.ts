import { describe, expect, it } from 'vitest'
import { HIDDEN_CHARACTERS } from '../../src/ui/hidden-characters'
import { createAccount } from '../support/accounts'
import { drivers } from '../support/backend'
import { runIds } from './agent-functions-fleet'
import {
  approve,
  approver,
  author,
  backend,
  company,
  device,
  edit,
  fleet,
  openScriptDesk,
  type Person,
  person,
  runOf,
  script,
  teknik,
} from './script-desk'

const HIDDEN = {
  'turns the direction': '\u202E',
  isolates: '\u2066',
  'has no width': '\u200B',
  'joins nothing': '\u200D',
  'is a soft hyphen': '\u00AD',
  'is a filler': '\u3164',
  'is a tag': '\u{E0041}',
  'is a second byte order mark': '\uFEFF',
  'ends the line elsewhere': '\u2028',
  'moves back': '\b',
} as const

const PARAMETERS = [
  { name: 'PATH', kind: 'text', label: 'Folder', default: '/tmp' },
  { name: 'DAYS', kind: 'number', default: '7' },
  { name: 'MODE', kind: 'choice', choices: ['list', 'delete'], default: 'list' },
  { name: 'FORCE', kind: 'boolean' },
  { name: 'TOKEN', kind: 'secret' },
]

const runWith = async (parameters: Record<string, unknown>, by = teknik) => {
  const { data, error } = await by.client.rpc('run_procedure', {
    procedure_id: script,
    device_ids: [device.device_id],
    parameters,
  })
  if (error) throw error
  return String(data)
}

describe.each(drivers())('a script shows what it does, on %s', (driver) => {
  openScriptDesk(driver)

  it.each(Object.entries(HIDDEN))('and has no character that %s', async (_what, character) => {
    const text = `if [ "$1" = "user${character}" ]; then id; fi`
    const refused = await author.client.from('procedures').update({ script: text }).eq('id', script)
    expect(refused.error).toMatchObject({ code: '23514', hint: 'hidden_characters' })
    expect(JSON.parse(refused.error?.details ?? '{}')).toEqual({
      character: `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`,
      line: 1,
    })
    const command = { type: 'Bash', command: text, device_ids: [device.device_id] }
    expect((await author.client.rpc('run_command', command)).error?.hint).toBe('hidden_characters')
    const saved = { company_id: company, name: 'C', type: 'Bash', command: text }
    expect((await author.client.from('saved_commands').insert(saved)).error?.hint).toBe('hidden_characters')
    const app = {
      company_id: company,
      name: 'App',
      package_version: '1',
      source_url: 'https://example.test/app.msi',
      sha256: 'a'.repeat(64),
      install_arguments: `/quiet ${text}`,
    }
    expect((await author.client.from('corporate_apps').insert(app)).error?.hint).toBe('hidden_characters')
    const test = { device_id: device.device_id, type: 'Bash', script: text }
    expect((await author.client.rpc('test_script', test)).error?.hint).toBe('hidden_characters')
  })

  it('and the console marks the same characters, and the form feed', async () => {
    const [row] = await backend.sql<{ points: number[] }>(
      `select array_agg(p order by p) as points
       from (select p from generate_series(1, 65533) p where p not between 55296 and 57343
             union all select p from generate_series(917504, 921600) p) x
       where app.hidden_character('x' || chr(p)) is not null`,
    )
    const marked: number[] = []
    for (let point = 1; point <= 921_600; point += 1) {
      if ((point > 65_533 && point < 917_504) || (point >= 55_296 && point <= 57_343)) continue
      if (String.fromCodePoint(point).match(HIDDEN_CHARACTERS)) marked.push(point)
    }
    expect(marked.filter((point) => point !== 0x0c)).toEqual(row?.points)
  })

  it('and its parameters have none either', async () => {
    const parameters = [{ name: 'PATH', kind: 'choice', choices: ['a', 'b\u202E'] }]
    const { error } = await author.client.from('procedures').update({ parameters }).eq('id', script)
    expect(error?.hint).toBe('hidden_characters')
  })

  it('and may have an escape, tabs, a byte order mark, Turkish letters and emoji', async () => {
    const text = "\uFEFF# ⚠️ 👩‍💻 1️⃣ ✅ ığüşöç İ\r\n\techo $'\\u202e'\r\n"
    await edit(text)
    const [row] = await backend.sql(
      'select ascii(script) as first, substr(script, 2) as rest from public.procedures where id = $1',
      [script],
    )
    expect(row).toEqual({ first: 0xfeff, rest: text.slice(1) })
  })

  it('and the refusal names the line', async () => {
    const text = '\uFEFF#!/bin/sh\nid\r\n# \uFEFF\u202Eroot\ndate \u202E'
    const { error } = await author.client.from('procedures').update({ script: text }).eq('id', script)
    expect(JSON.parse(error?.details ?? '{}')).toEqual({ character: 'U+FEFF', line: 3 })
  })

  it('and a row of before this rule can still be renamed, and not edited into another hidden character', async () => {
    await backend.sql('alter table public.procedures disable trigger procedures_hidden_characters')
    await backend.sql('update public.procedures set script = $2 where id = $1', [script, 'id \u202E'])
    await backend.sql('alter table public.procedures enable trigger procedures_hidden_characters')
    const update = (values: object) => author.client.from('procedures').update(values).eq('id', script)
    expect((await update({ name: 'Renamed' })).error).toBeNull()
    expect((await update({ script: 'id; date \u202E' })).error?.hint).toBe('hidden_characters')
  })
})

describe.each(drivers())('values given at a run, on %s', (driver) => {
  openScriptDesk(driver)

  const forbid = async () => {
    await backend.sql(
      'update public.policies set denies_values = true, needs_approval = false where company_id = $1',
      [company],
    )
    await author.client.from('procedures').update({ parameters: PARAMETERS }).eq('id', script)
  }

  it('run where no policy forbids them', async () => {
    await forbid()
    await backend.sql('update public.policies set denies_values = false where company_id = $1', [company])
    const job = await runWith({ PATH: '/etc', TOKEN: 'secret-1' })
    expect(runIds(await fleet.checkIn(device))).toHaveLength(1)
    expect((await runOf(job))?.status).toBe('claimed')
  })

  it.each([
    ['a text', { PATH: '/etc' }],
    ['a number', { DAYS: 0 }],
    ['a secret', { TOKEN: 'secret-1' }],
  ])('fail where a policy forbids them: %s', async (_what, values) => {
    await forbid()
    const job = await runWith(values)
    expect(runIds(await fleet.checkIn(device))).toHaveLength(0)
    expect(await runOf(job)).toMatchObject({ status: 'failed', error: 'values_denied' })
  })

  it('are none where they are the defaults, one of the choices, or yes and no', async () => {
    await forbid()
    const job = await runWith({ PATH: '/tmp', DAYS: 7, MODE: 'delete', FORCE: true })
    expect(runIds(await fleet.checkIn(device))).toHaveLength(1)
    expect((await runOf(job))?.status).toBe('claimed')
  })

  it('are forbidden by who may edit policies alone', async () => {
    const by = async (who: Person) =>
      (await who.client.from('policies').update({ denies_values: true }).eq('company_id', company).select())
        .data
    expect(await by(teknik)).toBeNull()
    expect(await by(author)).toMatchObject([{ denies_values: true }])
  })
})

describe.each(drivers())('a second account of the author, on %s', (driver) => {
  openScriptDesk(driver)

  const refused = async (by: Person) =>
    expect((await approve(by)).error).toMatchObject({ code: '23514', hint: 'approver_of_author' })

  it('does not approve: one that the author invited', async () => {
    const email = `${crypto.randomUUID()}@example.test`
    const { error } = await author.client.from('users').insert({ name: 'Second', email, role: 'Admin' })
    expect(error).toBeNull()
    const [row] = await backend.sql<{ id: string }>(
      `update auth.users set encrypted_password = extensions.crypt('Demo-Console-2026', extensions.gen_salt('bf', 4))
       where email = $1 returning id`,
      [email],
    )
    const second = { id: row?.id ?? '', email, client: await backend.client(email) }
    await refused(second)
    expect((await approve()).error).toBeNull()
  })

  it('does not approve: one whose role the author raised, and one that the author lowered does', async () => {
    const raised = await person('Teknik')
    const lowered = await person('Admin')
    const give = async (who: Person, role: string) =>
      expect((await author.client.from('users').update({ role }).eq('id', who.id)).error).toBeNull()
    await give(raised, 'Admin')
    await refused(raised)
    await give(lowered, 'Teknik')
    await backend.sql(`update public.user_roles set role = 'Admin' where user_id = $1`, [lowered.id])
    expect((await approve(lowered)).error).toBeNull()
  })

  it('does not approve: one whose password link the author asked for, or that the author let in again', async () => {
    const reset = await person('Admin')
    const back = await person('Admin')
    expect((await author.client.rpc('send_password_links', { ids: [reset.id] })).error).toBeNull()
    await refused(reset)
    await author.client.rpc('deactivate_users', { ids: [back.id] })
    await author.client.rpc('reactivate_users', { ids: [back.id] })
    await refused({ ...back, client: await backend.client(back.email) })
  })

  it('is one of any author since the last approval, and of no earlier one', async () => {
    const colleague = await person('Admin')
    const second = await person('Teknik')
    await author.client.from('users').update({ role: 'Admin' }).eq('id', second.id)
    await edit('id; date', colleague.client)
    await refused(second)
    expect((await approve()).error).toBeNull()
    await edit('id; uptime', colleague.client)
    expect((await approve(second)).error).toBeNull()
  })

  it('is told of no script that waits', async () => {
    const second = await person('Teknik')
    await author.client.from('users').update({ role: 'Admin' }).eq('id', second.id)
    await runWith({})
    await fleet.checkIn(device)
    const notified = async (who: Person) =>
      ((await who.client.from('notifications').select('kind').eq('kind', 'script_waiting')).data ?? []).length
    expect([await notified(approver), await notified(second)]).toEqual([1, 0])
  })

  it('is known to nobody: the list of who made whom is private', async () => {
    const stranger = await createAccount(backend, 'Super Admin', null)
    const client = await backend.client(stranger.email)
    const { error } = await client.schema('app').from('account_sponsors').select()
    expect(error).not.toBeNull()
    expect((await client.rpc('free_values', {})).error).not.toBeNull()
  })
})
