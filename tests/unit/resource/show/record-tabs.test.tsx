// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import i18next from 'i18next'
import { afterEach, expect, it } from 'vitest'
import type { Definition } from '@/resource/definition/definition.generated'
import { useRecordTabs } from '@/resource/show/record-tabs'
import { render } from '../../../support/render'

afterEach(cleanup)

const definition: Definition = {
  name: 'kiosks',
  fields: { note: { type: 'text' } },
  show: {
    related: [
      { resource: 'device_patches', by: 'device_id' },
      { resource: 'tickets', by: 'device_id' },
    ],
  },
}

function Labels() {
  return <p>{useRecordTabs(definition).map(({ label }) => `${label};`)}</p>
}

const show = () => render(<Labels />, { companyId: 'acme', can: () => ({ allowed: true }) })

it('names a related list as the resource says, else like the list', async () => {
  await show()
  expect(screen.getByText(/Updates on devices;.*Tickets;/)).toBeTruthy()
  cleanup()
  i18next.addResource('en', 'resources', 'kiosks.tabs.device_patches', 'Updates')
  await show()
  expect(screen.queryByText(/Updates on devices/)).toBeNull()
  expect(screen.getByText(/Updates;.*Tickets;/)).toBeTruthy()
})
