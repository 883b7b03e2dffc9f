import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Definition } from '@/resource/definition/definition.generated'
import { listOf } from '@/resource/definition/naming'
import type { PointedProblem } from '@/resource/inspect/problems'
import { parseLines } from '../policies/lines'
import { readText } from './read-text'
import { suggestion } from './suggestion'

/** Verbs that some role is allowed, by object; `*` stands for the Super Admin's everything. */
export type AllowedVerbs = ReadonlyMap<string, ReadonlySet<string>>

export function readPolicies(root: string): AllowedVerbs {
  const folder = join(root, 'policies')
  const allowed = new Map<string, Set<string>>()
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.csv')))
    for (const { cells } of parseLines(file, readText(join(folder, file)))) {
      const [kind, , object, verb, effect] = cells
      if (kind !== 'p' || effect !== 'allow' || !object || !verb) continue
      allowed.set(object, (allowed.get(object) ?? new Set()).add(verb))
    }
  return allowed
}

/** A screen or an action that no line allows is one that nobody but the Super Admin ever sees. */
export function inspectPolicies(definition: Definition, allowed: AllowedVerbs): PointedProblem[] {
  const problems: PointedProblem[] = []
  const need = (pointer: string, object: string, verb: string) => {
    const verbs = allowed.get(object)
    if (verbs?.has(verb) || verbs?.has('*')) return
    problems.push({
      pointer,
      message: `no line of policies/ lets any role \`${verb}\` \`${object}\``,
      ...(verbs ? suggestion(verb, verbs) : suggestion(object, allowed.keys())),
    })
  }
  // The platform's own tables may well be the Super Admin's alone.
  if (listOf(definition) && definition.tenant !== false) need('/name', definition.name, 'list')
  for (const [name, action] of Object.entries(definition.actions ?? {}))
    need(
      `/actions/${name}/${action.policy ? 'policy' : ''}`.replace(/\/$/, ''),
      action.policy?.object ?? definition.name,
      action.policy?.verb ?? name,
    )
  return problems
}
