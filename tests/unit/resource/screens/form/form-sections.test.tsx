// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { Form } from 'antd'
import { afterEach, expect, it } from 'vitest'
import type { Row } from '@/data/rows'
import { formOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { FormFields } from '@/resource/screens/form/form-fields'
import { eventually } from '../../../../support/eventually'
import { render } from '../../../../support/render'

afterEach(cleanup)

/** The titles of the sections of a new ticket. */
async function sections(isDesk: boolean): Promise<(string | null)[]> {
  const tickets = findDefinition('tickets')
  const form = tickets && formOf(tickets)
  if (!tickets || !form?.sections) throw new Error('there is no form of tickets')
  const given = form.sections
  function NewTicket() {
    const [instance] = Form.useForm<Row>()
    return (
      <Form form={instance}>
        <FormFields definition={tickets as NonNullable<typeof tickets>} sections={given} />
      </Form>
    )
  }
  await render(<NewTicket />, {
    companyId: 'acme',
    can: (_object, verb) =>
      verb === 'assign' && !isDesk ? { allowed: false, reason: 'role' } : { allowed: true },
  })
  await eventually(() => expect(screen.getByRole('textbox', { name: /Subject/ })).toBeTruthy())
  return [...document.querySelectorAll('legend')].map((legend) => legend.textContent)
}

it('a section without a field for the user is left out, with its title', async () => {
  expect(await sections(true)).toContain('Handling')
  cleanup()
  expect(await sections(false)).not.toContain('Handling')
})
