import { createInstance } from 'i18next'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { I18nextProvider, initReactI18next } from 'react-i18next'
import { describe, expect, it } from 'vitest'
import { GuardedButton } from '@/access/guarded-button'
import type { Verdict } from '@/access/policy'
import { RequireAccess } from '@/access/require-access'
import { AccessContext } from '@/access/use-can'
import access from '../../../locales/en/access.json'
import common from '../../../locales/en/common.json'

const i18n = createInstance()
await i18n
  .use(initReactI18next)
  .init({ showSupportNotice: false, lng: 'en', resources: { en: { access, common } } })

function render(node: ReactNode, value: { verdict?: Verdict; status?: 'loading' | 'error' }): string {
  const { verdict = { allowed: true }, status = 'ready' } = value
  return renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <AccessContext.Provider value={{ status, can: () => verdict, retry: () => undefined }}>
        {node}
      </AccessContext.Provider>
    </I18nextProvider>,
  )
}

const denied = (reason: 'role' | 'read-only' | 'without-pro') => ({
  verdict: { allowed: false, reason } as const,
})

describe('RequireAccess', () => {
  const page = (
    <RequireAccess resource="devices" action="list" denied={(reason) => `no: ${reason}`}>
      devices
    </RequireAccess>
  )
  it('is never blank', () => {
    expect(render(page, {})).toBe('devices')
    expect(render(page, denied('without-pro'))).toBe('no: without-pro')
    expect(render(page, { status: 'loading', ...denied('role') })).toContain(common.loading)
    const failed = render(page, { status: 'error', ...denied('role') })
    expect(failed).toContain(access.error.title)
    expect(failed).toContain(common.actions.retry)
  })
})

describe('GuardedButton', () => {
  const button = (
    <GuardedButton
      resource="devices"
      action="edit"
      type="primary"
      htmlType="submit"
      onClick={() => undefined}
    >
      Edit
    </GuardedButton>
  )
  it('is a plain button for those who may', () => {
    const html = render(button, {})
    expect(html).toContain('type="submit"')
    expect(html).not.toContain('disabled')
  })
  it('is not shown to a role that can never press it', () => {
    expect(render(button, denied('role'))).toBe('')
  })
  it.each(['read-only', 'without-pro'] as const)('is disabled by the license and says why: %s', (reason) => {
    const html = render(button, denied(reason))
    expect(html).toContain('aria-disabled="true"')
    expect(html).toContain(access.reasons[reason].replaceAll("'", '&#x27;'))
  })
  it('submits nothing when refused, and stays in the tab order', () => {
    const html = render(button, denied('read-only'))
    expect(html).toContain('type="button"')
    expect(html).not.toMatch(/ disabled/)
  })
  it('gives no reason before there is one', () => {
    const html = render(button, { status: 'loading', ...denied('role') })
    expect(html).toContain('disabled=""')
    expect(html).not.toContain(access.reasons.role)
  })
})
