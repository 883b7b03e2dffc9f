import { ACCOUNTS, expect, expectToast, test, unique, visit } from './support/one-page'

test('a script that devices wait for is declined with a reason, which its author reads', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const author = await api(ACCOUNTS.teknik)
  const { key } = await (await page.request.get('/config.json')).json()
  const agent = async (name: string, payload: object) =>
    (await page.request.post(`/rest/v1/rpc/${name}`, { headers: { apikey: key }, data: { payload } })).json()

  const link = async (table: string, row: object) =>
    expect((await admin.request('POST', table, { company_id: admin.companyId, ...row })).status).toBe(201)

  // A device in a group whose policy asks for approval, and a run of a technician's script on it.
  const { body } = await admin.request('POST', 'rpc/create_enrollment_token', {
    company_id: admin.companyId,
    name: unique('Token'),
  })
  const device = await agent('agent_enroll', {
    token: (body as { token: string }).token,
    machine_id: unique('machine'),
    hostname: unique('onay').replace(' ', '-'),
    platform: 'linux',
  })
  const group = await admin.create('groups', { name: unique('Group') })
  await link('group_devices', { group_id: group.id, device_id: device.device_id })
  const policy = await admin.create('policies', {
    name: unique('Four eyes'),
    kind: 'permission',
    needs_approval: true,
    position: 0,
  })
  await link('policy_groups', { policy_id: policy.id, group_id: group.id })
  const name = unique('Betik')
  const script = await author.create('procedures', { name, type: 'Bash', script: 'id\n' })
  const started = await author.request('POST', 'rpc/run_procedure', {
    procedure_id: script.id,
    device_ids: [device.device_id],
  })
  await agent('agent_check_in', {
    device_id: device.device_id,
    secret: device.secret,
    metrics: {},
    inventory_hash: 'h',
    running: [],
  })

  await signIn(ACCOUNTS.admin, { language: 'en' })
  await page.getByRole('link', { name: /wait.? for your approval/ }).click()
  await page.getByRole('main').getByRole('link', { name, exact: true }).click()
  await page.getByRole('button', { name: 'Approve or decline' }).click()
  const dialog = page.getByRole('dialog', { name: `Approve ${name}` })
  await dialog.getByRole('button', { name: 'Decline' }).click()
  const decline = page.getByRole('dialog', { name: `Decline ${name}` })
  await decline.getByLabel('Reason').fill('Ask the owner of the device first')
  await decline.getByRole('button', { name: 'Decline version 1' }).click()
  await expectToast(page, 'Version 1 declined')
  await expect(page.getByRole('main')).toContainText('Ask the owner of the device first')
  await visit(page, '/procedures?view=waiting')
  await expect(page.getByRole('main').getByRole('link', { name, exact: true })).toHaveCount(0)

  await visit(page, `/tasks/${started.body}`)
  await expect(page.getByRole('main')).toContainText(
    '1 run ended because this version of the script was declined.',
  )
  const told = await author.request(
    'GET',
    'notifications?kind=eq.script_declined&select=params,link&order=created_at.desc&limit=1',
  )
  expect(told.body).toMatchObject([
    {
      params: { script: name, reason: 'Ask the owner of the device first' },
      link: `/procedures/${script.id}`,
    },
  ])
  await admin.request('DELETE', `policies?id=eq.${policy.id}`)
})
