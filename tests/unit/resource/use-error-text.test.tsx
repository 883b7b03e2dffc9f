// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { toDataError } from '@/data/errors'
import { useErrorText } from '@/resource/use-error-text'
import { render } from '../../support/render'

afterEach(cleanup)

const OVERLAP = { code: '23514', message: 'no', hint: 'hours_overlap', details: '{"day": "3"}' }

function Refusal() {
  return <p>{useErrorText()(toDataError(OVERLAP, 400))}</p>
}

it.each([
  ['en', /^Business hours overlap on Wednesday\./],
  ['tr', /^Çarşamba günündeki çalışma saatleri çakışıyor\./],
] as const)('a refusal names the day that the database gives as a number, in %s', async (language, text) => {
  await render(<Refusal />, { language })
  expect(await screen.findByText(text)).toBeTruthy()
})
