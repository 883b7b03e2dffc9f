// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { proPages } from '@/resource/language/pro-pages'
import { resourceEntries } from '@/resource/language/registry'
import { NeedsPro } from '@/resource/screens/needs-pro'
import { render } from '../../../support/render'

afterEach(cleanup)

it('lists the pages that definitions require a Pro license for, in the order of the menu', () => {
  expect(proPages()).toEqual([
    { name: 'automations', tabs: ['automation_runs'] },
    { name: 'device_patches', tabs: ['patches', 'patch_exceptions'] },
    { name: 'corporate_apps', tabs: [] },
    { name: 'apps', tabs: [] },
  ])
})

it('leaves out only resources without a page of their own', () => {
  const listed = proPages().flatMap(({ name, tabs }) => [name, ...tabs])
  const required = resourceEntries().flatMap(({ name, definition }) =>
    definition?.requires === 'pro' ? [name] : [],
  )
  expect(required.filter((name) => !listed.includes(name))).toEqual(['automation_steps'])
})

it('a page below Pro names what it is and what Pro adds as the menu does', async () => {
  await render(<NeedsPro resource="automations" />, {
    companyId: 'acme',
    can: () => ({ allowed: false, reason: 'without-pro' }),
  })
  const text = screen.getByRole('alert').textContent
  expect(text).toContain('Automation: a Pro license is required')
  expect(text).toContain(
    'Automation (Automation Runs), Patch Management (Updates, Exceptions), Corporate Apps, App Store.',
  )
})
