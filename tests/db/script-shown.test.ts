import { describe, expect, it } from 'vitest'
import { HIDDEN_CHARACTERS } from '../../src/ui/hidden-characters'
import { createAccount, createCompany } from '../support/accounts'
import { drivers } from '../support/backend'
import { runIds } from './agent-functions-fleet'
import {
  approve,
  approver,
  author,
  backend,
  company,
  decline,
  device,
  edit,
  fleet,
  newest,
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
  'breaks the line in an editor, and not in Bash': '\r',
  'starts a page': '\f',
  'is a vertical tab': '\v',
  'is a next line': '\u0085',
  'ends the paragraph elsewhere': '\u2029',
  'is a blank of Braille': '\u2800',
  'controls shorthand': '\u{1BCA3}',
  'controls music': '\u{1D173}',
  'is not assigned': '\uFFF8',
  'controls hieroglyphs': '\u{13430}',
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

  it('and the console marks the same characters', async () => {
    const [row] = await backend.sql<{ points: number[] }>(
      `select array_agg(p order by p) as points
       from (select p from generate_series(1, 131071) p where p not between 55296 and 57343 and p not in (65534, 65535)
             union all select p from generate_series(917504, 921600) p) x
       where app.hidden_character('x' || chr(p)) is not null`,
    )
    const marked: number[] = []
    for (let point = 1; point <= 921_600; point += 1) {
      if ((point > 131_071 && point < 917_504) || (point >= 55_296 && point <= 57_343)) continue
      if (String.fromCodePoint(point).match(HIDDEN_CHARACTERS)) marked.push(point)
    }
    expect(marked).toEqual(row?.points)
  })

  it('and a carriage return belongs to a line break before a line feed alone', async () => {
    for (const text of ['# lab\r[ -e x ] || exit', 'id\r\r\ndate', 'id\n\rdate', 'id\r']) {
      const refused = await author.client.from('procedures').update({ script: text }).eq('id', script)
      expect([text, refused.error?.details]).toEqual([text, '{"character": "U+000D"}'])
    }
    await edit('# lab\r\n[ -e x ] || exit\r\n')
  })

  it('and its parameters have none either', async () => {
    const parameters = [{ name: 'PATH', kind: 'choice', choices: ['a', 'b\u202E'] }]
    const { error } = await author.client.from('procedures').update({ parameters }).eq('id', script)
    expect(error?.hint).toBe('hidden_characters')
  })

  it('and neither do the keys of its parameters, and the names by which people and devices choose', async () => {
    const parameters = [{ name: 'PATH', kind: 'text', 'default\u202E': '/tmp' }]
    const keys = await author.client.from('procedures').update({ parameters }).eq('id', script)
    expect(keys.error?.hint).toBe('hidden_characters')
    const hint = async (table: string, values: object) =>
      (await author.client.from(table).insert({ company_id: company, ...values })).error?.hint
    const app = { package_version: '1', source_url: 'https://example.test/app.msi', sha256: 'a'.repeat(64) }
    const process = { name: 'M', type: 'Process', process_name: 'cron' }
    for (const hidden of ['\u202E', '\u200B', '\u2800', '\r']) {
      const name = `ls${hidden}gnp.exe`
      expect(await hint('procedures', { name, type: 'Bash', script: 'id' })).toBe('hidden_characters')
      expect(await hint('saved_commands', { name, type: 'Bash', command: 'id' })).toBe('hidden_characters')
      expect(await hint('corporate_apps', { ...app, name })).toBe('hidden_characters')
      expect(await hint('monitors', { ...process, name })).toBe('hidden_characters')
      expect(await hint('monitors', { ...process, process_name: name })).toBe('hidden_characters')
      expect(await hint('monitors', { name: 'M', type: 'Service', service_name: name })).toBe(
        'hidden_characters',
      )
      expect((await author.client.from('procedures').update({ name }).eq('id', script)).error?.hint).toBe(
        'hidden_characters',
      )
    }
  })

  it('and has a name in any language, with the joiners of its letters and emoji', async () => {
    for (const name of ['Ağ sürücüsü', 'می\u200Cخواهم', 'क्\u200Dष', '日本語', 'Ship 👩\u200D💻']) {
      const saved = { company_id: company, name, type: 'Bash', command: 'id' }
      expect([name, (await author.client.from('saved_commands').insert(saved)).error]).toEqual([name, null])
    }
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

describe.each(drivers())('accounts of one person, on %s', (driver) => {
  openScriptDesk(driver)

  /** As an invitation goes: a link is mailed, and whoever has the mailbox sets a password. */
  const invite = async (by: Person, role = 'Admin'): Promise<Person> => {
    const email = `${crypto.randomUUID()}@example.test`
    expect((await by.client.from('users').insert({ name: 'Second', email, role })).error).toBeNull()
    return setPassword({ id: '', email, client: by.client })
  }
  const setPassword = async ({ email }: Person): Promise<Person> => {
    const [row] = await backend.sql<{ id: string }>(
      `update auth.users set encrypted_password = extensions.crypt('Demo-Console-2026', extensions.gen_salt('bf', 4))
       where email = $1 returning id`,
      [email],
    )
    return { id: row?.id ?? '', email, client: await backend.client(email) }
  }
  /** Lets days pass for all that the sponsors did so far. */
  const pass = async (days: number) => {
    await backend.sql('update app.account_sponsors set at = at - make_interval(days => $1)', [days])
    await backend.sql('update app.password_changes set at = at - make_interval(days => $1)', [days])
  }
  const refused = async (by: Person) => {
    expect((await by.client.rpc('approval_conflict', { version_id: await newest() })).data).toBe(
      'approver_of_author',
    )
    for (const { error } of [await approve(by), await decline(by)])
      expect(error).toMatchObject({ code: '23514', hint: 'approver_of_author' })
  }
  const approved = async (by: Person) => {
    expect((await by.client.rpc('approval_conflict', { version_id: await newest() })).data).toBeNull()
    expect((await approve(by)).error).toBeNull()
  }

  it('do not approve for each other: an account does not for its sponsor, ever', async () => {
    const second = await invite(author)
    await refused(second)
    await pass(400)
    await refused(second)
    await approved(approver)
  })

  it('do not approve for each other: the sponsor does not for a new account', async () => {
    const second = await invite(author)
    await edit('id; date', second.client)
    await approved(approver)
    await edit('id; uptime', second.client)
    await refused(author)
  })

  it('do not approve for each other: not over two invitations, also when the account between was deleted', async () => {
    const second = await invite(author)
    const third = await invite(second)
    await refused(third)
    await backend.sql('delete from auth.users where id = $1', [second.id])
    await refused(third)
    await edit('id; date', third.client)
    await approved(approver)
  })

  it('do not approve for each other: two that have one sponsor do not', async () => {
    const [second, third] = [await invite(author), await invite(author)]
    await edit('id; date', second.client)
    await approved(approver)
    await edit('id; uptime', second.client)
    await refused(third)
  })

  it('do not approve what a deleted one wrote', async () => {
    const second = await invite(author)
    await approved(approver)
    await edit('id; date', second.client)
    await backend.sql('delete from auth.users where id = $1', [second.id])
    await refused(author)
    await approved(approver)
  })

  it('become accounts of their own after 14 days with a password set by the mailed link', async () => {
    const [second, third] = [await invite(author), await invite(author)]
    await approved(approver)
    await pass(13)
    await edit('id; date', second.client)
    await refused(author)
    await refused(third)
    await pass(2)
    await approved(author)
    await edit('id; uptime', second.client)
    await approved(third)
  })

  it('are connected again after a further act: a role, and a link until a password was set after it', async () => {
    const second = await invite(author, 'Teknik')
    await approved(approver)
    await pass(30)
    await edit('id; date', second.client)
    expect((await author.client.from('users').update({ role: 'Admin' }).eq('id', second.id)).error).toBeNull()
    await refused(author)
    await pass(15)
    await approved(author)
    expect((await author.client.rpc('send_password_links', { ids: [second.id] })).error).toBeNull()
    await pass(15)
    await edit('id; uptime', second.client)
    await refused(author)
    await setPassword(second)
    await approved(author)
  })

  it('are no others that a Super Admin invited, nor two sponsors of one account', async () => {
    const root = await createAccount(backend, 'Super Admin', null)
    const sponsor = { ...root, client: await backend.client(root.email) }
    const email = `${crypto.randomUUID()}@example.test`
    const values = { name: 'First', email, role: 'Admin', company_id: company }
    expect((await sponsor.client.from('users').insert(values)).error).toBeNull()
    const first = await setPassword({ ...sponsor, email })
    await edit('id; date', first.client)
    await approved(sponsor)
    for (const by of [author, approver])
      expect((await by.client.rpc('send_password_links', { ids: [first.id] })).error).toBeNull()
    await edit('id; uptime')
    await approved(approver)
  })

  it('count as one in what is said beforehand, and are told of no script that waits', async () => {
    const count = async () => (await author.client.rpc('count_approvers', { company })).data
    const waiting = async (who: Person) => (await who.client.rpc('dashboard')).data?.approvals
    expect(await count()).toBe(2)
    const second = await invite(author)
    const third = await invite(second)
    expect(await count()).toBe(2)
    await edit('id; date', second.client)
    await runWith({})
    await fleet.checkIn(device)
    const told = async (who: Person) =>
      ((await who.client.from('notifications').select('kind').eq('kind', 'script_waiting')).data ?? []).length
    const all = [author, second, third, approver]
    expect(await Promise.all(all.map(waiting))).toEqual([0, 0, 0, 1])
    expect(await Promise.all(all.map(told))).toEqual([0, 0, 0, 1])
    await pass(15)
    expect(await count()).toBe(4)
  })

  it('are told to nobody else: a stranger asks for no conflict of a version', async () => {
    const stranger = await person('Admin', await createCompany(backend))
    const ask = async (who: Person) =>
      (await who.client.rpc('approval_conflict', { version_id: await newest() })).error?.code
    expect([await ask(stranger), await ask(teknik)]).toEqual(['PT404', '42501'])
    expect((await author.client.rpc('approval_conflict', { version_id: await newest() })).data).toBe(
      'own_version',
    )
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
