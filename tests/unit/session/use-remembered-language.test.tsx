// @vitest-environment happy-dom
import { renderHook, waitFor } from '@testing-library/react'
import i18next from 'i18next'
import { beforeEach, expect, it, vi } from 'vitest'
import { callRpc } from '@/data/rpc'
import { useRememberedLanguage } from '@/session/use-remembered-language'

vi.mock('@/data/rpc', () => ({ callRpc: vi.fn(async () => undefined) }))

beforeEach(async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  window.localStorage.clear()
  vi.mocked(callRpc).mockClear()
  await i18next.init({ lng: 'en', supportedLngs: ['en', 'tr'], resources: {} })
  return () => vi.useRealTimers()
})

it('tells the language of each person once, and again when it changes', async () => {
  const { rerender } = renderHook(({ id }: { id: string | null }) => useRememberedLanguage(id), {
    initialProps: { id: null as string | null },
  })
  await vi.advanceTimersByTimeAsync(5000)
  expect(callRpc).not.toHaveBeenCalled()
  rerender({ id: 'a' })
  await vi.advanceTimersByTimeAsync(5000)
  expect(vi.mocked(callRpc).mock.calls).toEqual([['remember_language', { language: 'en' }]])
  rerender({ id: null })
  rerender({ id: 'a' })
  await vi.advanceTimersByTimeAsync(5000)
  expect(callRpc).toHaveBeenCalledTimes(1)
  await i18next.changeLanguage('tr')
  await vi.advanceTimersByTimeAsync(5000)
  await waitFor(() =>
    expect(vi.mocked(callRpc).mock.calls.at(-1)).toEqual(['remember_language', { language: 'tr' }]),
  )
  rerender({ id: 'b' })
  await vi.advanceTimersByTimeAsync(5000)
  expect(callRpc).toHaveBeenCalledTimes(3)
})
