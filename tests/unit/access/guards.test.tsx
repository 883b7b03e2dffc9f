import { Refine } from '@refinedev/core'
import { createInstance } from 'i18next'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { I18nextProvider, initReactI18next } from 'react-i18next'
import { describe, expect, it } from 'vitest'
import { Access } from '@/access/access'
import { AccessContext, type AccessValue } from '@/access/access-context'
import { GuardedButton } from '@/access/guarded-button'
import type { Verdict } from '@/access/policy'
import { RequireAccess } from '@/access/require-access'
import { createAccessControlProvider } from '@/refine/access-control-provider'
import access from '../../../locales/en/access.json'
import common from '../../../locales/en/common.json'

const i18n = createInstance()
await i18n
  .use(initReactI18next)
  .init({ showSupportNotice: false, lng: 'en', resources: { en: { access, common } } })

function render(node: ReactNode, value: Partial<AccessValue> & { verdict?: Verdict }): string {
  const { verdict = { allowed: true }, ...rest } = value
  const context: AccessValue = {
    status: 'ready',
    version: 0,
    can: () => verdict,
    retry: () => undefined,
    ...rest,
  }
  return renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <AccessContext.Provider value={context}>
        <Refine
          accessControlProvider={createAccessControlProvider(context.can)}
          options={{ disableTelemetry: true }}
        >
          {node}
        </Refine>
      </AccessContext.Provider>
    </I18nextProvider>,
  )
}

const denied = (reason: 'role' | 'read-only' | 'without-pro') => ({
  verdict: { allowed: false, reason } as const,
})

describe('Access', () => {
  const node = (
    <Access
      resource="devices"
      action="list"
      fallback={(reason) => `no: ${reason}`}
      loading="wait"
      error={() => 'failed'}
    >
      devices
    </Access>
  )
  it.each([
    ['the content to those who may', {}, 'devices'],
    ['the fallback with its reason to others', denied('read-only'), 'no: read-only'],
    ['its loading slot while the policy is on its way', { status: 'loading', ...denied('role') }, 'wait'],
    ['its error slot when the policy could not be read', { status: 'error', ...denied('role') }, 'failed'],
  ] as const)('shows %s', (_what, value, expected) => {
    expect(render(node, value)).toBe(expected)
  })
})

describe('RequireAccess', () => {
  const page = (
    <RequireAccess resource="devices" action="list">
      devices
    </RequireAccess>
  )
  it('is never blank', () => {
    expect(render(page, {})).toBe('devices')
    expect(render(page, denied('without-pro'))).toContain(access.reasons['without-pro'])
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
