import type { Definition } from '@/resource/language/definition.generated'
import { boundFunctions, dropBound } from '../migration/bounds'
import { planTable } from '../migration/plan'
import type { NamedObjects } from './in-database'

const functionsOf = (definition: Definition, all: readonly Definition[]) =>
  boundFunctions(planTable(definition, (name) => all.find((each) => each.name === name) ?? null))

/**
 * Triggers that compare related records name two tables: where a name in them changes they are written again. The
 * definitions are in one order before and after.
 */
export function renameBounds(
  objects: NamedObjects,
  before: readonly Definition[],
  after: readonly Definition[],
): { drop: string[]; create: string[]; rest: NamedObjects } {
  const present = new Set(objects.functions.map(({ schema, name }) => `${schema}.${name}`))
  const changed = before.flatMap((definition, index) => {
    const next = after[index]
    const old = functionsOf(definition, before).filter(({ name }) => present.has(`app.${name}`))
    const written = next ? functionsOf(next, after) : []
    const isSame = written.every(({ sql }) => old.some((each) => each.sql === sql))
    return old.length === 0 || isSame ? [] : [{ old, written }]
  })
  const gone = changed.flatMap(({ old }) => old.map(({ name }) => name))
  const calls = gone.map((name) => ` EXECUTE FUNCTION app.${name}(`)
  return {
    drop: gone.map((name) => dropBound({ name })),
    create: changed.flatMap(({ written }) => written.map(({ sql }) => sql)),
    rest: {
      ...objects,
      functions: objects.functions.filter(({ schema, name }) => schema !== 'app' || !gone.includes(name)),
      triggers: objects.triggers.filter(({ definition }) => !calls.some((call) => definition.includes(call))),
    },
  }
}
