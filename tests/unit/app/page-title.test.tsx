// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { usePageTitle } from '@/app/page-title'
import { render } from '../../support/render'

function Title() {
  return <h1>{usePageTitle()}</h1>
}

afterEach(cleanup)

describe('usePageTitle', () => {
  it.each([
    ['/categories/42', 'Category', 'Kategori'],
    ['/issues/42', 'Issue type', 'Sorun türü'],
    ['/groups/42', 'Group', 'Grup'],
    ['/devices/42', 'Device Details', 'Cihaz Ayrıntıları'],
    ['/software-licenses', 'Software Licenses', 'Yazılım Lisansları'],
    ['/dashboard', 'Konsol', 'Konsol'],
  ])('of %s is %s, in Turkish %s', async (path, en, tr) => {
    const { unmount } = await render(<Title />, { path })
    expect(screen.getByRole('heading').textContent).toBe(en)
    unmount()
    await render(<Title />, { path, language: 'tr' })
    expect(screen.getByRole('heading').textContent).toBe(tr)
  })
})
