// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { Suspense } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { RunProcedureDialog } from '@/pages/procedures/run-procedure-dialog'
import { CompanyScopeContext } from '@/session/use-company-scope'
import { render } from '../../../support/render'

vi.mock('@/data/client', () => ({ supabase: {} }))
vi.mock('@/pages/devices/target-data', () => ({ searchTargets: () => Promise.resolve([]) }))

afterEach(cleanup)

it('opens with all its words, so that nothing hides it and takes the focus later', async () => {
  let arrive = () => {}
  const come = new Promise<void>((done) => {
    arrive = done
  })
  await render(
    <CompanyScopeContext.Provider value={{ companyId: null, setCompanyId: () => undefined, companies: [] }}>
      <Suspense fallback={<p>Waiting</p>}>
        <RunProcedureDialog records={[]} resource="devices" onClose={() => undefined} />
      </Suspense>
    </CompanyScopeContext.Provider>,
    { wordsLater: { names: ['devices', 'jobs', 'access'], come } },
  )
  expect(screen.getByText('Waiting')).toBeTruthy()
  arrive()
  expect(await screen.findByRole('dialog', { name: 'Run a script' })).toBeTruthy()
  expect(screen.queryByText('Waiting')).toBeNull()
})
