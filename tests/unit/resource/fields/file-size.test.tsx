// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { useFileSize } from '@/resource/fields/file/file-size'
import { render } from '../../../support/render'

afterEach(cleanup)

function Sizes() {
  const sizeOf = useFileSize()
  return <p>{[1, 70, 1536, 20 * 1024, 2.5 * 1024 * 1024].map(sizeOf).join(' · ')}</p>
}

it.each([
  ['en', '1 byte · 70 bytes · 1.5 kB · 20 kB · 2.5 MB'],
  ['tr', '1 bayt · 70 bayt · 1,5 kB · 20 kB · 2,5 MB'],
] as const)('the size of a file is written in its unit, in %s', async (language, sizes) => {
  await render(<Sizes />, { language })
  expect(screen.getByText(/byte|bayt/).textContent).toBe(sizes)
})
