import { describe, expect, it } from 'vitest'
import { HIDDEN_CHARACTERS } from '../../../src/ui/hidden-characters'
import { drivers } from '../../support/backend'
import { runIds } from '../support/agent-functions-fleet'
import {
  author,
  backend,
  company,
  device,
  edit,
  fleet,
  openScriptDesk,
  type Person,
  runOf,
  runWith,
  script,
  teknik,
} from '../support/script-desk'

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
      expect([text, JSON.parse(refused.error?.details ?? '{}')]).toEqual([
        text,
        { character: 'U+000D', line: text === 'id\n\rdate' ? 2 : 1 },
      ])
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
