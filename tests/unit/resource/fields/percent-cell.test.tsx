// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { FieldCell } from '@/resource/fields/cells'
import type { FieldOf } from '@/resource/fields/kind-interface'
import { render } from '../../../support/render'

afterEach(cleanup)

const THRESHOLDS = { warning: 80, critical: 90 }

async function draw(value: unknown, field: Partial<FieldOf<'percent'>>, row = {}, language?: 'en' | 'tr') {
  const props = { name: 'share', resource: 'devices', dense: false, value, row }
  const { container } = await render(<FieldCell {...props} field={{ type: 'percent', ...field }} />, {
    language,
  })
  return container.querySelector<HTMLElement>('.k-share')
}

describe('a percent with thresholds', () => {
  it('is a bar whose level follows the thresholds', async () => {
    for (const [value, level] of [
      [79.9, 'normal'],
      [80, 'warning'],
      [90, 'critical'],
    ] as const) {
      expect((await draw(value, { thresholds: THRESHOLDS }))?.dataset.level).toBe(level)
      cleanup()
    }
  })

  it('has its color only while the record matches the condition', async () => {
    const field = { thresholds: THRESHOLDS, color_when: { closed_at: { _null: true } } }
    expect((await draw(95, field, { closed_at: null }))?.dataset.level).toBe('critical')
    cleanup()
    expect((await draw(95, field, { closed_at: '2026-03-01T00:00:00Z' }))?.dataset.level).toBe('normal')
  })

  it('stays a figure without thresholds, written as the language does', async () => {
    expect(await draw(12, {}, {}, 'tr')).toBeNull()
    expect(screen.getByText('%12')).toBeTruthy()
  })

  it('computes the used share of a row, and stays empty without a total', async () => {
    const used = { free: 'free_mb', total: 'total_mb' }
    const bar = await draw(undefined, { used, thresholds: THRESHOLDS }, { free_mb: 50, total_mb: 1000 })
    expect(bar?.textContent).toBe('95%')
    expect(bar?.querySelector<HTMLElement>('.k-share-bar > span')?.style.width).toBe('95%')
    cleanup()
    // A system that keeps blocks for itself knows better.
    const told = await draw(30, { used, thresholds: THRESHOLDS }, { free_mb: 50, total_mb: 1000 })
    expect(told?.textContent).toBe('30%')
    cleanup()
    expect(await draw(undefined, { used, thresholds: THRESHOLDS }, { free_mb: 50, total_mb: 0 })).toBeNull()
  })
})
