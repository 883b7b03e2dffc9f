// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { CheckError, OfflineError, toDataError } from '@/data/errors'
import { useFileSize } from '@/resource/fields/file/file-size'
import { UploadList } from '@/resource/fields/file/upload-list'
import { render } from '../../../support/render'

vi.mock('@/ui/leave-guard', () => ({ LeaveGuard: () => null }))

afterEach(cleanup)

function Sizes() {
  const sizeOf = useFileSize()
  return <p>{[1, 70, 1536, 20 * 1024, 2.5 * 1024 * 1024].map((bytes) => sizeOf(bytes)).join(' · ')}</p>
}

it.each([
  ['en', '1 byte · 70 bytes · 1.5 kB · 20 kB · 2.5 MB'],
  ['tr', '1 bayt · 70 bayt · 1,5 kB · 20 kB · 2,5 MB'],
] as const)('the size of a file is written in its unit, in %s', async (language, sizes) => {
  await render(<Sizes />, { language })
  expect(screen.getByText(/byte|bayt/).textContent).toBe(sizes)
})

const failed = (error: unknown, size: number) => {
  const file = new File([], 'report.zip')
  Object.defineProperty(file, 'size', { value: size })
  return {
    uploads: [{ key: '1', file, sent: 0, state: 'failed' as const, error }],
    isSending: false,
    add: () => undefined,
    retry: () => undefined,
    cancel: () => undefined,
  }
}
const MB = 1024 * 1024
const refusal = {
  code: '23514',
  hint: 'file_size',
  message: 'The file is larger than 25 MB.',
  details: '{"max_mb": "25"}',
}

it.each([
  ['en', 27 * MB, 'report.zip is 27 MB; files up to 25 MB are taken.'],
  ['en', 25 * MB + 1, 'report.zip is 25.1 MB; files up to 25 MB are taken.'],
  ['tr', 27 * MB, 'report.zip 27 MB boyutunda; en fazla 25 MB boyutunda dosya yüklenebilir.'],
] as const)(
  'a file that is too large is refused with both sizes and is not resumed (%s, %d)',
  async (language, size, text) => {
    await render(<UploadList uploads={failed(toDataError(refusal), size)} />, { language })
    expect(screen.getByRole('alert').textContent).toBe(text)
    expect(screen.getAllByRole('button')).toHaveLength(1)
  },
)

it('an upload that lost its connection is resumed, one that a rule refused is not', async () => {
  const { unmount } = await render(<UploadList uploads={failed(new OfflineError('Failed to fetch'), MB)} />)
  expect(screen.getByRole('button', { name: 'Resume' })).toBeTruthy()
  unmount()
  const program = new CheckError('', '23514', undefined, undefined, undefined, 'file_program')
  await render(<UploadList uploads={failed(program, MB)} />)
  expect(screen.queryByRole('button', { name: 'Resume' })).toBeNull()
})
