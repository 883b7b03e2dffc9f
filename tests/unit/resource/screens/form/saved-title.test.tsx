// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { RecordForm } from '@/resource/screens/form/record-form'
import { fakeData, render } from '../../../../support/render'

afterEach(cleanup)

const OTHER = '5b1d0f0e-0000-4000-8000-000000000001'
const definition: Definition = {
  name: 'loans',
  title: '{note} · {group_id}',
  fields: { note: { type: 'text' }, group_id: { type: 'relation', to: 'groups' } },
  form: { sections: { main: ['note'] } },
}

it('a saved record is called by the records in its title too, which the write did not return', async () => {
  const data = fakeData()
  data.create.mockImplementation((async () => ({
    data: { id: '1', note: 'Related', group_id: OTHER },
  })) as never)
  data.custom.mockImplementation(async () => ({
    data: [{ resource: 'groups', id: OTHER, fields: { name: 'Servers' } }],
  }))
  const { user } = await render(
    <RecordForm
      definition={definition}
      preset={{ group_id: OTHER }}
      onSaved={() => undefined}
      onCancel={() => undefined}
    />,
    { companyId: 'acme', data },
  )
  await user.type(await screen.findByRole('textbox'), 'Related')
  await user.click(screen.getByRole('button', { name: 'Create' }))
  expect(await screen.findByText('Related · Servers was created')).toBeTruthy()
})
