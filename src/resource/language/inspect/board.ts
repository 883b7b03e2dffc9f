import { kindOf } from '@/resource/fields/kinds'
import type { Board, Definition, Field, List } from '@/resource/language/definition.generated'
import { hintFor } from '@/resource/language/inspect/hint'
import type { Inspection } from '@/resource/language/inspect/inspection'
import { layoutField, recordPlaces } from '@/resource/language/inspect/layout-field'

export const CHOICE = {
  fits: (field: Field) => kindOf(field.type).choices?.(field as never)?.isClosed === true,
  needs: 'an `enum`',
}
const choicesOf = (field: Field | undefined): readonly string[] =>
  (field && kindOf(field.type).choices?.(field as never)?.known) ?? []

const COLUMNS = {
  fits: (field: Field) => CHOICE.fits(field) || field.type === 'relation',
  needs: 'an `enum` or a `relation`',
}

/** The kinds of a board whose columns are records: one choice here and one there, with the same values. */
function inspectKinds(inspection: Inspection, { by, kinds, limits, moves }: Board): void {
  const relation = inspection.definition.fields[by]
  const pointer = '/list/board/kinds'
  if (relation?.type !== 'relation') {
    if (kinds) inspection.add(pointer, '`kinds` has no effect: the columns are no records', 'Remove it.')
    return
  }
  for (const [place, variable] of recordPlaces(`/fields/${by}/where`, relation.where))
    inspection.add(
      '/list/board/by',
      `the records of \`${by}\` depend on \`${variable}\` (${place}), so that a board has no columns of its own`,
      'Name another field.',
    )
  for (const [key, given] of Object.entries({ limits, moves }))
    if (given && !kinds)
      inspection.add(
        `/list/board/${key}`,
        `\`${key}\` are by kind, and nothing names the kinds of the columns`,
        'Add `"kinds": { "field": "status", "of": "kind" }`, or remove it.',
      )
  if (!kinds) return
  layoutField(inspection, `${pointer}/field`, kinds.field, CHOICE)
  const target = inspection.context.find?.(relation.to)
  if (!target) return
  const other = target.fields[kinds.of]
  if (!other || !CHOICE.fits(other)) {
    const choices = Object.keys(target.fields).filter((name) => CHOICE.fits(target.fields[name] as Field))
    inspection.add(
      `${pointer}/of`,
      `\`${relation.to}\` has no \`enum\` \`${kinds.of}\``,
      hintFor(kinds.of, choices) ?? `Give the records an \`enum\`, or remove \`kinds\`.`,
    )
    return
  }
  const [own, theirs] = [choicesOf(inspection.definition.fields[kinds.field]), choicesOf(other)]
  const missing = theirs.find((value) => own.length > 0 && !own.includes(value))
  if (missing !== undefined)
    inspection.add(
      `${pointer}/field`,
      `\`${kinds.field}\` has no value \`${missing}\`, which \`${kinds.of}\` of \`${relation.to}\` has`,
      'The database keeps both equal: give them the same values.',
    )
}

/** Checks the columns of a board, their limits and the actions that move to them. */
export function inspectBoard(inspection: Inspection, definition: Definition, list: List): void {
  const { board } = list
  if (!board) return
  layoutField(inspection, '/list/board/by', board.by, COLUMNS)
  inspectKinds(inspection, board)
  const named = board.kinds?.field ?? board.by
  const values = choicesOf(definition.fields[named])
  const actions = Object.keys(definition.actions ?? {})
  for (const [index, name] of (board.cards ?? []).entries())
    inspection.column(`/list/board/cards/${index}`, name)
  for (const key of ['limits', 'moves'] as const)
    for (const value of Object.keys(board[key] ?? {}))
      if (values.length > 0 && !values.includes(value))
        inspection.add(
          `/list/board/${key}/${value}`,
          `\`${named}\` has no value \`${value}\``,
          hintFor(value, values),
        )
  for (const [value, moves] of Object.entries(board.moves ?? {}))
    for (const action of [moves].flat())
      if (!actions.includes(action))
        inspection.add(`/list/board/moves/${value}`, `no action \`${action}\``, hintFor(action, actions))
}
