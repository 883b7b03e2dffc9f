import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { drivers } from '../../support/backend'
import type { Device } from '../support/agent-functions-fleet'
import {
  admin,
  backend,
  bells,
  company,
  createMonitor,
  fleet,
  mailsTo,
  newCompany,
  openNoticeDesk,
  report,
  rows,
} from '../support/notice-desk'

describe.each(drivers())('what people are told of alerts and tickets, on %s', (driver) => {
  openNoticeDesk(driver)

  const createToken = async (): Promise<string> => {
    const [token] = await rows<{ id: string }>(
      `insert into public.enrollment_tokens (company_id, name, hint, expires_at) values ($1, $2, 'abcd', now() + interval '1 day') returning id`,
      company,
      `T ${randomUUID()}`,
    )
    return token?.id ?? ''
  }
  const enrollWith = async (token: string): Promise<Device> => {
    const made = await fleet.enroll()
    await backend.sql('update public.devices set enrollment_token_id = $2 where id = $1', [
      made.device_id,
      token,
    ])
    return made
  }
  const enrollApart = async (): Promise<Device> => enrollWith(await createToken())

  const subjects = (mails: { text: string }[], part: string) =>
    mails.filter(({ text }) => text.includes(part))

  it('the devices of one token take 10 mails an hour, and a critical alert of another device still arrives', async () => {
    await newCompany()
    const [warning, critical] = [await createMonitor({ severity: 'warning' }), await createMonitor()]
    const other = await enrollApart()
    const token = await createToken()
    for (let n = 0; n < 24; n += 1)
      await report(n % 2 ? warning : critical, 'failing', 'flood', await enrollWith(token))
    expect(subjects(await mailsTo(admin), 'flood')).toHaveLength(10)
    await report(critical, 'failing', 'the server is on fire', other)
    expect(subjects(await mailsTo(admin), 'the server is on fire')).toHaveLength(1)
    expect(await bells(admin)).toHaveLength(25)
  })

  it('what is held back comes in one mail, the most severe first and no sender pushed out', async () => {
    await newCompany()
    const [warning, critical] = [await createMonitor({ severity: 'warning' }), await createMonitor()]
    const token = await createToken()
    const first = await enrollWith(token)
    for (let n = 0; n < 66; n += 1)
      await report(n % 2 ? warning : critical, 'failing', `flood ${n}`, await enrollWith(token))
    await mailsTo(admin)
    await report(critical, 'failing', 'the server is on fire', first)
    await mailsTo(admin)
    const mails = await mailsTo(admin)
    expect(subjects(mails, 'the server is on fire')).toHaveLength(1)
    const digests = subjects(mails, 'held back')
    const listed = digests.flatMap(({ text }) => text.match(/flood \d+|on fire/g) ?? [])
    // The first digest was sent before the fire, the second has it alone.
    expect(digests.map(({ text }) => (text.match(/- Critical|- Kritik/g) ?? []).length > 0)).toEqual([
      true,
      true,
    ])
    expect(new Set(listed).size).toBeGreaterThanOrEqual(50)
    expect(digests[0]?.text.indexOf('Warning ·') ?? 0).toBeGreaterThan(
      digests[0]?.text.indexOf('Critical ·') ?? 0,
    )
    expect(
      await rows(
        `select count(*)::int as n from app.notices where user_id = $1 and status = 'dropped' and error ~ '^held back'`,
        admin.id,
      ),
    ).toEqual([{ n: 57 }])
  })

  it('a person gets 20 mails an hour, of which 6 are kept for critical alerts, and 6 of one device', async () => {
    await newCompany()
    const [warning, critical] = [await createMonitor({ severity: 'warning' }), await createMonitor()]
    for (let n = 0; n < 16; n += 1) await report(warning, 'failing', 'slow', await enrollApart())
    expect(subjects(await mailsTo(admin), 'slow')).toHaveLength(14)
    for (let n = 0; n < 8; n += 1) await report(critical, 'failing', 'down', await enrollApart())
    const mails = await mailsTo(admin)
    expect(subjects(mails, 'down')).toHaveLength(6)
    await newCompany()
    for (let n = 0; n < 8; n += 1) {
      await report(await createMonitor(), 'failing', 'again')
      await backend.sql('update app.notices set closes_at = now() where user_id = $1', [admin.id])
    }
    expect(subjects(await mailsTo(admin), 'again')).toHaveLength(6)
  })

  it('a mail about a critical alert leaves before older ones', async () => {
    await newCompany()
    const [warning, critical] = [await createMonitor({ severity: 'warning' }), await createMonitor()]
    await report(warning, 'failing', 'slow', await enrollApart())
    await report(critical, 'failing', 'down', await enrollApart())
    await backend.sql(
      `update app.notices set next_attempt_at = case when is_critical then now() else now() - interval '1 minute' end where user_id = $1`,
      [admin.id],
    )
    const taken = await rows<{ content: { alerts: { message: string }[] } }>(
      `select content from app.take_notices(1) where email = $1`,
      admin.email,
    )
    expect(taken.map(({ content }) => content.alerts[0]?.message)).toEqual(['down'])
  })
})
