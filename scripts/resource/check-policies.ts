import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { READ_VERBS } from '@/access/policy'
import type { Definition, Policy } from '@/resource/language/definition.generated'
import type { PointedProblem } from '@/resource/language/inspect/problems'
import { listOf, showOf } from '@/resource/language/naming'
import { parseLines } from '../policies/lines'
import type { Vocabulary } from '../policies/vocabulary'
import { readText } from './read-text'
import { suggestion } from './suggestion'

/** Verbs that some role is allowed, by object; `*` stands for the Super Admin's everything. */
type AllowedVerbs = ReadonlyMap<string, ReadonlySet<string>>

function readPolicies(root: string): AllowedVerbs {
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

export interface PolicyContext {
  allowed: AllowedVerbs
  /** Objects that companies without a Pro license are denied. */
  needsPro: ReadonlySet<string>
  vocabulary: Vocabulary
}

export function readPolicyContext(root: string, vocabulary: Vocabulary): PolicyContext {
  const path = join(root, 'policies/without-pro.csv')
  const lines = existsSync(path) ? parseLines('without-pro.csv', readText(path)) : []
  const denied = lines.flatMap(({ cells: [kind, , object, , effect] }) =>
    kind === 'p' && effect === 'deny' && object ? [object] : [],
  )
  return { allowed: readPolicies(root), needsPro: new Set(denied), vocabulary }
}

/** Common verbs may be left to the Super Admin on purpose; another verb that no role holds is a mistake. */
const COMMON: readonly string[] = [...READ_VERBS, 'create', 'edit', 'delete', 'import']

interface NamedPolicy {
  pointer: string
  policy: Policy
  /** Whether common verbs, too, need a role that holds them. */
  isStrict: boolean
}

/** Every place of a definition that names a permission. */
function namedPolicies(definition: Definition): NamedPolicy[] {
  const found: NamedPolicy[] = []
  const add = (pointer: string, policy: Policy | undefined, isStrict = false) => {
    if (policy) found.push({ pointer, policy, isStrict })
  }
  for (const [name, field] of Object.entries(definition.fields)) {
    add(`/fields/${name}/guard/read`, field.guard?.read)
    add(`/fields/${name}/guard/show`, field.guard?.show)
    add(`/fields/${name}/guard/write`, field.guard?.write)
    const needs = Reflect.get(field, 'needs') as Record<string, Policy> | undefined
    for (const [value, policy] of Object.entries(needs ?? {})) add(`/fields/${name}/needs/${value}`, policy)
  }
  for (const [name, view] of Object.entries(listOf(definition)?.views ?? {}))
    add(`/list/views/${name}/policy`, view.policy, true)
  for (const [name, tab] of Object.entries(showOf(definition)?.tabs ?? {}))
    add(`/show/tabs/${name}/policy`, tab.policy, true)
  for (const [name, part] of Object.entries(showOf(definition)?.side ?? {})) {
    add(`/show/side/${name}/policy`, part.policy, true)
    add(`/show/side/${name}/unless`, part.unless, true)
  }
  for (const [name, { policy }] of Object.entries(definition.actions ?? {})) {
    const pointer = `/actions/${name}${policy ? '/policy' : ''}`
    add(pointer, policy ?? { object: definition.name, verb: name }, true)
  }
  return found
}

/** A screen or an action that no line allows is one that nobody but the Super Admin ever sees. */
export function inspectPolicies(
  definition: Definition,
  { allowed, needsPro, vocabulary }: PolicyContext,
): PointedProblem[] {
  const problems: PointedProblem[] = []
  const need = ({ pointer, policy: { object, verb }, isStrict }: NamedPolicy) => {
    const verbs = allowed.get(object)
    if (verbs?.has(verb) || verbs?.has('*')) return
    if (!vocabulary.objects.has(object)) {
      problems.push({
        pointer: `${pointer}/object`,
        message: `no permission object \`${object}\``,
        ...suggestion(object, vocabulary.objects),
      })
    } else if (isStrict || !COMMON.includes(verb)) {
      const known = new Set([...(verbs ?? []), ...vocabulary.verbs])
      known.delete(verb)
      const near = suggestion(verb, known).hint
      problems.push({
        pointer: `${pointer}/verb`,
        message: `no line of policies/ lets any role \`${verb}\` \`${object}\``,
        hint: near ?? `Add \`p, Admin, ${object}, ${verb}, allow\` to policies/admin.csv.`,
      })
    }
  }
  // The platform's own tables may well be the Super Admin's alone.
  if (listOf(definition) && definition.tenant !== false)
    need({ pointer: '/name', policy: { object: definition.name, verb: 'list' }, isStrict: true })
  for (const named of namedPolicies(definition)) need(named)
  if (definition.requires === 'pro' && !needsPro.has(definition.name))
    problems.push({
      pointer: '/requires',
      message: `no line of policies/without-pro.csv denies \`${definition.name}\`: companies without the license have it too`,
      hint: `Add \`p, without-pro, ${definition.name}, *, deny\`, then run \`npm run policies\`.`,
    })
  else if (definition.requires !== 'pro' && needsPro.has(definition.name))
    problems.push({
      pointer: '/name',
      message: `policies/without-pro.csv denies \`${definition.name}\`, and its pages would not say that it needs a license`,
      hint: 'Write `"requires": "pro"`, or remove the line.',
    })
  return problems
}
