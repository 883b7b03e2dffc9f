export interface ColumnNeed {
  /** The width at which nothing in it is cut. */
  natural: number
  /** The narrowest it may become. */
  min: number
  /** Keeps its natural width whatever room there is. */
  isFixed?: boolean
}

/** How wide a column that may shrink is in a table that scrolls sideways anyway. */
const SCROLLED_WIDTH = 200

/** Whole pixels, and all of the room: what rounding left over goes to the widest column that may change. */
function fill(
  widths: readonly number[],
  needs: readonly { isFixed: boolean }[],
  available: number,
): number[] {
  const rounded = widths.map(Math.floor)
  const flexible = rounded.filter((_, index) => !needs[index]?.isFixed)
  const widest = rounded.findIndex(
    (width, index) => !needs[index]?.isFixed && width === Math.max(...flexible),
  )
  return rounded.map((width, index) => (index === widest ? width + available - sum(rounded) : width))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/**
 * Widths in pixels for columns in a room of `available` pixels. Spare room goes to all columns in proportion; missing
 * room is taken from those that may shrink. Where even the narrowest widths do not fit, the table scrolls sideways.
 */
export function fitColumns(columns: readonly ColumnNeed[], available: number): number[] {
  const needs = columns.map(({ natural, min, isFixed }) => {
    const wide = Math.ceil(Math.max(natural, isFixed ? 0 : min))
    return { wide, min: isFixed ? wide : Math.min(wide, Math.ceil(min)), isFixed: isFixed === true }
  })
  const wide = sum(needs.map((need) => need.wide))
  const least = sum(needs.map((need) => need.min))
  if (wide <= available) {
    const flexible = sum(needs.map((need) => (need.isFixed ? 0 : need.wide)))
    const share = flexible > 0 ? (available - wide) / flexible : 0
    const widths = needs.map((need) => (need.isFixed ? need.wide : need.wide * (1 + share)))
    return fill(widths, needs, available)
  }
  if (least <= available) {
    const share = (available - least) / (wide - least)
    const widths = needs.map((need) => need.min + (need.wide - need.min) * share)
    return fill(widths, needs, available)
  }
  return needs.map((need) => Math.max(need.min, Math.min(need.wide, SCROLLED_WIDTH)))
}
