// @vitest-environment happy-dom
import { cleanup, screen, within } from '@testing-library/react'
import { Form } from 'antd'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Row } from '@/data/rows'
import type { Definition, Sections } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import { FormPanels } from '@/resource/screens/form/form-panels'
import { useFormParts } from '@/resource/screens/form/use-form-parts'
import { render } from '../../../../support/render'

vi.mock('@/resource/screens/form/form-fields', () => ({
  FormFields: ({ sections }: { sections: Sections }) =>
    Object.values(sections)
      .flat()
      .map((field) => (
        <Form.Item key={field} name={field} label={field} initialValue="" rules={[{ required: true }]}>
          <input />
        </Form.Item>
      )),
}))
afterEach(cleanup)

const parts = {
  what: { sections: { main: ['name'] } },
  when: { sections: { main: ['date'] } },
  who: { sections: { main: ['owner'] } },
}
const text = { type: 'text' } as const
const definition = {
  name: 'visits',
  fields: { name: text, date: text, owner: text },
} as unknown as Definition
const inSteps: Definition = { ...definition, form: { steps: parts } }
const inTabs: Definition = { ...definition, form: { tabs: parts } }

function Panels({ definition: shown, isWizard }: { definition: Definition; isWizard: boolean }) {
  const [form] = Form.useForm<Row>()
  const formParts = useFormParts(shown, form, 'visit')
  const save = () => form.validateFields().catch(({ errorFields }) => formParts.fail(errorFields))
  return (
    <Form form={form} name="visit">
      <FormPanels
        definition={shown}
        words={useWords(shown)}
        parts={formParts}
        isWizard={isWizard}
        disabled={false}
      />
      <button type="button" onClick={() => void formParts.goOn()}>
        Next
      </button>
      <button type="button" onClick={() => void save()}>
        Save
      </button>
    </Form>
  )
}

describe('a form in steps', () => {
  it('shows where the user is, goes on once a step is right, and back to any that was reached', async () => {
    const { user } = await render(<Panels definition={inSteps} isWizard />)
    const steps = within(screen.getByRole('navigation', { name: 'Steps' })).getAllByRole('listitem')
    const states = () => steps.map((step) => step.dataset.state)
    const step = (name: RegExp) => screen.getByRole<HTMLButtonElement>('button', { name })
    expect(states()).toEqual(['current', 'ahead', 'ahead'])

    await user.click(step(/Next/))
    expect(await screen.findByText(/Please enter name/)).toBeTruthy()
    expect(states()).toEqual(['current', 'ahead', 'ahead'])
    await user.type(screen.getByLabelText('name'), 'Audit')
    await user.click(step(/Next/))
    expect(await screen.findByText('Step 2 of 3: When')).toBeTruthy()
    expect(states()).toEqual(['done', 'current', 'ahead'])
    expect(screen.getByLabelText('date').closest('[hidden]')).toBeNull()
    expect(screen.getByLabelText('name').closest('[hidden]')).not.toBeNull()

    expect(step(/Who/).disabled).toBe(true)
    await user.click(step(/What/))
    expect(states()).toEqual(['current', 'ahead', 'ahead'])
    expect(step(/When/).disabled).toBe(false)
  })
})

describe('a form in tabs', () => {
  it('opens any of them, and counts the errors of each', async () => {
    const { user } = await render(<Panels definition={inTabs} isWizard={false} />)
    const tabs = () => screen.getAllByRole('tab').map(({ textContent }) => textContent)
    expect(tabs()).toEqual(['What', 'When', 'Who'])
    await user.click(screen.getByRole('tab', { name: 'Who' }))
    await user.type(screen.getByLabelText('owner'), 'Ada')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByRole('tab', { name: 'What 1 error' })).toBeTruthy()
    expect(tabs()).toEqual(['What1 error', 'When1 error', 'Who'])
  })
})

it('has no part of which the user is asked nothing', async () => {
  const desk: Definition = {
    ...inTabs,
    fields: {
      ...definition.fields,
      owner: { ...text, guard: { write: { object: 'visits', verb: 'assign' } } },
    },
  }
  const tabs = async (isDesk: boolean) => {
    await render(<Panels definition={desk} isWizard={false} />, {
      can: (_object, verb) =>
        verb === 'assign' && !isDesk ? { allowed: false, reason: 'role' } : { allowed: true },
    })
    const names = screen.getAllByRole('tab').map((tab) => tab.textContent)
    cleanup()
    return names
  }
  expect(await tabs(true)).toHaveLength(3)
  expect(await tabs(false)).toHaveLength(2)
})
