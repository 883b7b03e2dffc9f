// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { Form } from 'antd'
import { afterEach, describe, expect, it } from 'vitest'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/language/definition.generated'
import { FormFields } from '@/resource/screens/form/form-fields'
import { SpanField, spanMoments } from '@/resource/screens/form/span-field'
import { render } from '../../../../support/render'

const NOW = Date.parse('2026-11-27T18:00:00Z')
const at = (time: string) => `2026-11-27T${time}:00.000Z`

describe('the moments of a typed span', () => {
  it('end now, and begin that long ago', () => {
    expect(spanMoments(1800, { from: at('18:00'), until: null, isStartTyped: false }, NOW)).toEqual({
      from: at('17:30'),
      until: at('18:00'),
    })
  })

  it('keep an end that was typed', () => {
    expect(spanMoments(1800, { from: null, until: at('12:00'), isStartTyped: false }, NOW)).toEqual({
      from: at('11:30'),
      until: at('12:00'),
    })
  })

  it('follow a start that was typed', () => {
    expect(spanMoments(5400, { from: at('09:00'), until: at('09:10'), isStartTyped: true }, NOW)).toEqual({
      from: at('09:00'),
      until: at('10:30'),
    })
  })
})

const DEFINITION: Definition = {
  name: 'entries',
  fields: {
    started_at: { type: 'datetime' },
    ended_at: { type: 'datetime' },
    seconds: { type: 'duration', readonly: true, between: ['started_at', 'ended_at'] },
    total: { type: 'duration', readonly: true },
  },
}

let values: () => Row = () => ({})

function Entry({ initial, row }: { initial: Row; row?: Row }) {
  const [form] = Form.useForm<Row>()
  values = () => form.getFieldsValue(true) as Row
  return (
    <Form form={form} initialValues={initial}>
      <FormFields
        definition={DEFINITION}
        sections={{ main: ['seconds', 'total', 'started_at ended_at'] }}
        {...(row ? { row } : {})}
      />
    </Form>
  )
}

afterEach(cleanup)

describe('the field of a span', () => {
  it('is typed in a form, and writes its two moments alone', async () => {
    const { user } = await render(<Entry initial={{ started_at: new Date().toISOString() }} />, {
      companyId: 'acme',
    })
    await user.type(await screen.findByRole('textbox', { name: /Seconds/ }), '30 min')
    const { started_at: from, ended_at: until } = values()
    expect(Date.parse(String(until)) - Date.parse(String(from))).toBe(30 * 60_000)
    expect(Math.abs(Date.parse(String(until)) - Date.now())).toBeLessThan(60_000)
    expect(values().seconds).toBeUndefined()
    // A read-only span without moments is no field of a form.
    expect(screen.queryByRole('textbox', { name: /Total/ })).toBeNull()
  })

  it('shows how long a record took, and moves its end', async () => {
    const row = { started_at: at('09:00'), ended_at: at('10:30') }
    const { user } = await render(<Entry initial={row} row={row} />, { companyId: 'acme' })
    const box = await screen.findByRole('textbox', { name: /Seconds/ })
    expect(box).toHaveProperty('value', '1 h 30 min')
    await user.clear(box)
    await user.type(box, '0:45')
    expect(values()).toMatchObject({ started_at: at('09:00'), ended_at: at('09:45') })
  })

  it('says when it is no span of time', async () => {
    const { user } = await render(
      <Form>
        <SpanField
          name="seconds"
          label="Duration"
          help={undefined}
          between={['started_at', 'ended_at']}
          record={{}}
          isNew
          disabled={false}
        />
      </Form>,
    )
    await user.type(screen.getByRole('textbox', { name: 'Duration' }), 'soon')
    await user.tab()
    expect(await screen.findByText(/Not a duration/)).not.toBeNull()
  })
})
