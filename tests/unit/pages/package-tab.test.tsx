// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CheckError } from '@/data/errors'
import { uploadFile } from '@/data/files'
import { PackageTab } from '@/pages/software/package-tab'
import { fakeData, render } from '../../support/render'

vi.mock('@/data/files', () => ({ uploadFile: vi.fn(), deleteFile: vi.fn() }))

const data = fakeData()
const LIMITS = { max_file_mb: 1, max_company_mb: 10, used_mb: 2 }
const version = (id: string, isCurrent: boolean) => ({
  id,
  package_version: id,
  file_name: `setup-${id}.msi`,
  size_bytes: 1024 * 1024,
  sha256: id.repeat(64).slice(0, 64),
  is_current: isCurrent,
  created_at: '2026-11-22T10:00:00Z',
})

/** Opens the tab; functions that write are collected by name. */
async function open(
  limits: object | null,
  versions: object[] = [],
  source_url: string | null = null,
  own = '',
) {
  const called: [string, unknown][] = []
  data.getList.mockImplementation(async () => ({
    data: versions as { id: string }[],
    total: versions.length,
  }))
  data.custom.mockImplementation(async ({ url, payload }) => {
    if (url === 'rpc/package_limits') return { data: limits }
    called.push([url, payload])
    return { data: 'file-id' }
  })
  const record = { id: 'app', company_id: 'c', source_url, package_version: own }
  const { user } = await render(<PackageTab record={record as never} resource="corporate_apps" />, {
    path: '/corporate-apps/app',
    data,
    companyId: 'c',
  })
  return { user, called }
}
const choose = async (
  user: Awaited<ReturnType<typeof open>>['user'],
  bytes: number,
  name = 'setup.msi',
): Promise<void> => {
  const input = document.querySelector<HTMLInputElement>('input[type=file]')
  if (!input) throw new Error('There is no input for a file.')
  await user.upload(input, new File([new Uint8Array(bytes)], name))
}
const start = () => screen.getByRole('button', { name: 'Add version' })
/** The storage takes every file. */
const takeUploads = () =>
  vi.mocked(uploadFile).mockImplementation(async (_target, file) => ({
    id: 'file-id',
    name: file.name,
    size: file.size,
    type: 'application/x-msi',
    path: 'c/file-id',
    has_preview: false,
    created_by: null,
    created_by_name: null,
    created_at: '2026-11-22T10:00:00Z',
  }))

afterEach(() => {
  cleanup()
  vi.resetAllMocks()
})

describe('the package of a corporate app', () => {
  it('asks for an address where the backend takes no uploads', async () => {
    await open(null)
    await screen.findByText('This backend takes no uploads')
    expect(document.querySelector('input[type=file]')).toBeNull()
  })

  it('says the size of a file that the upload refuses, with the limit, as for the files of records', async () => {
    vi.mocked(uploadFile).mockRejectedValue(
      new CheckError('', '23514', undefined, undefined, undefined, 'file_size', { max_mb: '1' }),
    )
    const { user, called } = await open(LIMITS)
    await screen.findByText('This app has no package yet')
    await choose(user, 1024 * 1024 + 1)
    await screen.findByText('setup.msi is 1.1 MB; files up to 1 MB are taken.')
    await user.click(screen.getByRole('button', { name: 'Dismiss the failed upload of setup.msi' }))
    await screen.findByText('Choose a file')
    expect(called).toEqual([])
  })

  it('refuses a name that is too long, and a version that exists, before anything is written', async () => {
    takeUploads()
    const { user, called } = await open(LIMITS, [version('1', true)])
    await screen.findByText('setup-1.msi')
    await choose(user, 10, `${'a'.repeat(117)}.msi`)
    await screen.findByText(/^The name of the file has more than 120 characters/)
    expect(uploadFile).not.toHaveBeenCalled()
    await choose(user, 10)
    await screen.findByText('setup.msi')
    await user.type(screen.getByLabelText('Version'), '1')
    await screen.findByText('This version was uploaded already. Give another version.')
    expect(start()).toHaveProperty('disabled', true)
    expect(called).toEqual([])
  })

  it('sends the file as a draft and makes it a version', async () => {
    takeUploads()
    const { user, called } = await open(LIMITS)
    await screen.findByText('This app has no package yet')
    await choose(user, 10)
    await user.type(screen.getByLabelText('Version'), '2.0')
    await screen.findByText('setup.msi')
    await user.click(start())
    await screen.findByText('Version 2.0 was added')
    expect(vi.mocked(uploadFile).mock.lastCall?.[0]).toEqual({
      resource: 'corporate_app_files',
      companyId: 'c',
      recordId: null,
      field: 'file_id',
    })
    expect(called).toEqual([
      [
        'rpc/add_package_version',
        { corporate_app_id: 'app', package_version: '2.0', file_id: 'file-id', make_current: true },
      ],
    ])
  })

  it('shows how far an upload is, and cancels it', async () => {
    vi.mocked(uploadFile).mockImplementation(
      (_target, _file, { signal, onProgress }) =>
        new Promise((_done, fail) => {
          onProgress(5)
          signal.addEventListener('abort', () => fail(signal.reason))
        }),
    )
    const { user, called } = await open(LIMITS)
    await screen.findByText('This app has no package yet')
    await choose(user, 10)
    await user.type(screen.getByLabelText('Version'), '2.0')
    expect(await screen.findByRole('progressbar', { name: 'setup.msi' })).toHaveProperty('value', 5)
    expect(start()).toHaveProperty('disabled', true)
    await user.click(screen.getByRole('button', { name: 'Cancel the upload of setup.msi' }))
    await screen.findByText('Choose a file')
    expect(called).toEqual([])
  })

  it('offers the version of the app, and may leave the current one as it is', async () => {
    takeUploads()
    const { user, called } = await open(LIMITS, [version('1', true)], null, '1.5')
    await screen.findByText('setup-1.msi')
    expect(screen.getByLabelText('Version')).toHaveProperty('value', '1.5')
    await choose(user, 10)
    await user.click(screen.getByRole('checkbox', { name: 'Make it the current version' }))
    await screen.findByText('setup.msi')
    await user.click(start())
    await screen.findByText('Version 1.5 was added')
    expect(called.at(-1)).toEqual([
      'rpc/add_package_version',
      { corporate_app_id: 'app', package_version: '1.5', file_id: 'file-id', make_current: false },
    ])
  })

  it('makes another version current', async () => {
    const { user, called } = await open(LIMITS, [version('2', true), version('1', false)])
    await user.click(await screen.findByRole('button', { name: 'Make current' }))
    await waitFor(() => expect(called).toEqual([['rpc/use_package_file', { file_id: '1' }]]))
  })
})
