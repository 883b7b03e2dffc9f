import { describe, expect, it } from 'vitest'
import { fitColumns } from '@/resource/screens/list/fit-columns'

const sum = (widths: readonly number[]) => widths.reduce((total, width) => total + width, 0)
const CHECKBOX = { natural: 36, min: 36, isFixed: true }

describe('fitColumns', () => {
  it('gives spare room to the columns in proportion, and none to those of a fixed width', () => {
    const widths = fitColumns([CHECKBOX, { natural: 200, min: 100 }, { natural: 100, min: 100 }], 636)
    expect(widths).toEqual([36, 400, 200])
  })

  it('takes missing room from the columns that may shrink, none below its minimum', () => {
    const columns = [
      CHECKBOX,
      { natural: 400, min: 160 },
      { natural: 120, min: 120 },
      { natural: 300, min: 96 },
    ]
    const widths = fitColumns(columns, 600)
    expect(sum(widths)).toBe(600)
    for (const [index, { min }] of columns.entries()) expect(widths[index]).toBeGreaterThanOrEqual(min)
    expect(widths[2]).toBe(120)
  })

  it('fills the room to the pixel', () => {
    const columns = [101, 203, 307].map((natural) => ({ natural, min: 50 }))
    for (const room of [400, 401, 555, 611, 612, 700, 1133]) expect(sum(fitColumns(columns, room))).toBe(room)
  })

  it('scrolls where the minimums do not fit: shrinkable columns then have a readable width', () => {
    const columns = [
      { natural: 157, min: 157 },
      { natural: 500, min: 96 },
      { natural: 260, min: 260 },
    ]
    expect(fitColumns(columns, 358)).toEqual([157, 200, 260])
  })

  it('never makes a column narrower than its header, whatever its values need', () => {
    expect(fitColumns([{ natural: 40, min: 130 }], 20)).toEqual([130])
  })
})
