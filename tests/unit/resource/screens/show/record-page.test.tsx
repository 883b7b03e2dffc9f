// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { usePageWords } from '@/app/page-words'
import type { Language } from '@/i18n/language'
import { findDefinition } from '@/resource/language/registry'
import { RecordPage } from '@/resource/screens/show/record-page'
import { render } from '../../../../support/render'

afterEach(cleanup)

function PageName({ path }: { path: string }) {
  return <output>{usePageWords().labelAt(path)}</output>
}

it.each<[Language, string, string]>([
  ['en', 'Patch Management', 'Back to Patch Management'],
  ['tr', 'Yama Yönetimi', 'Yama Yönetimi sayfasına dön'],
])('a record’s way back calls the list by the name of its page (%s)', async (language, name, back) => {
  const definition = findDefinition('device_patches')
  if (!definition) throw new Error('There is no list of updates on devices.')
  await render(
    <>
      <PageName path="/patch-management" />
      <RecordPage definition={definition} id="10000000-0000-4000-8000-000000000000" />
    </>,
    { language, companyId: 'acme', data: { getOne: () => new Promise(() => undefined) } },
  )
  expect(screen.getByText(name)).toBeTruthy()
  expect(screen.getByRole('link', { name: back }).getAttribute('href')).toBe('/patch-management')
})

it('names a value beside the title that says nothing by itself, and no other', async () => {
  const definition = findDefinition('tickets')
  if (!definition) throw new Error('There are no tickets.')
  const record = { id: '10000000-0000-4000-8000-000000000000', number: 7, subject: 'Screen', version: 1 }
  await render(<RecordPage definition={definition} id={record.id} />, {
    companyId: 'acme',
    data: {
      getOne: async () => ({ data: { ...record, priority: 'high', checklist_progress: '2 / 5' } }),
      getList: async () => ({ data: [], total: 0 }),
      custom: async () => ({ data: null }),
    } as never,
  })
  const title = (await screen.findByRole('heading', { name: /Screen/ })).parentElement
  expect(title?.textContent).toContain('Checklist2 / 5')
  expect(title?.textContent).toContain('High')
  expect(title?.textContent).not.toContain('Priority')
})
