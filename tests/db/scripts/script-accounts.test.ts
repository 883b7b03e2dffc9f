import { describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers } from '../../support/backend'
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
  runWith,
  teknik,
} from '../support/script-desk'

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
