// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { Definition } from '@/resource/definition/definition.generated'
import { ShowSections } from '@/resource/show/sections'
import { render } from '../../../support/render'

afterEach(cleanup)

const definition: Definition = {
  name: 'visits',
  fields: { note: { type: 'text' }, hour: { type: 'text', when: { note: { _eq: 'planned' } } } },
}

it('leaves out a section of which no field is shown', async () => {
  await render(
    <ShowSections
      definition={definition}
      sections={{ main: ['note'], plan: ['hour'] }}
      record={{ id: '1', note: 'none', hour: '9' }}
    />,
    { companyId: 'acme' },
  )
  expect(screen.getAllByRole('heading', { level: 3 })).toHaveLength(1)
})
