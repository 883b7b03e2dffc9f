import { ACCOUNTS, expect, test, unique } from './support/one-page'

test('a device says why its inventory was refused, and a run shows the exit code of a crash', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const { key } = await (await page.request.get('/config.json')).json()
  const agent = async (name: string, payload: object) =>
    (await page.request.post(`/rest/v1/rpc/${name}`, { headers: { apikey: key }, data: { payload } })).json()
  const { body } = await admin.request('POST', 'rpc/create_enrollment_token', {
    company_id: admin.companyId,
    name: unique('Token'),
  })
  const hostname = unique('garip').replace(' ', '-')
  const { device_id, secret } = await agent('agent_enroll', {
    token: (body as { token: string }).token,
    machine_id: unique('machine'),
    hostname,
    platform: 'windows',
  })
  const checkIn = (more: object) =>
    agent('agent_check_in', { device_id, secret, metrics: {}, inventory_hash: 'h', running: [], ...more })
  const { body: job } = await admin.request('POST', 'rpc/run_command', {
    type: 'CMD',
    command: 'crash.exe',
    device_ids: [device_id],
  })
  const { runs } = await checkIn({ inventory: 'no inventory' })
  await agent('agent_report', {
    device_id,
    secret,
    results: [{ run_id: runs[0].run_id, attempt: 1, state: 'failed', exit_code: 3_221_225_477, output: '' }],
  })

  await signIn(ACCOUNTS.admin, { language: 'en', at: `/devices/${device_id}` })
  await expect(page.getByText('Inventory refused: The inventory must be an object.')).toBeVisible()
  await page.goto(`/runs/${runs[0].run_id}`)
  await expect(page.getByRole('main')).toContainText('Exit code 0xC0000005')
  await page.goto(`/tasks/${job}`)
  await expect(page.getByRole('main')).toContainText('0xC0000005')

  await signIn(ACCOUNTS.admin, { language: 'tr', at: `/devices/${device_id}` })
  await expect(page.getByText('Envanter reddedildi: The inventory must be an object.')).toBeVisible()

  // The database takes the next one.
  await checkIn({ inventory: { os: 'Windows 11' }, inventory_hash: 'h2' })
  await page.reload()
  await expect(page.getByRole('main')).toContainText('Windows 11')
  await expect(page.getByText(/Envanter reddedildi/)).toHaveCount(0)
})
