import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Enforcer, FunctionMap, newEnforcerWithClass, newModelFromString, StringAdapter } from 'casbin'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPolicy } from '@/access/policy'
import { readMigrations, readVocabulary } from '../../../scripts/policies/vocabulary'
import { createAccount, createCompany, type License } from '../../support/accounts'
import { drivers, type TestBackend } from '../../support/backend'
import { ADDED, differentialBackend, LINES, mapOf, ROLES, root } from './differential-roles'

const words = readVocabulary(root)
// Names that no line mentions, and those that mean something in a line, must fare alike on all sides too.
const OBJECTS = [...words.objects, 'no_such_object', 'device', '*', '']
const VERBS = [...words.verbs, 'frobnicate', 'lis', 'write', '*', '']

const LICENSES: Record<string, License & { holds: string[] }> = {
  'without end': { holds: [] },
  'running long': { endsIn: '1 year', holds: [] },
  expiring: { endsIn: '12 days', holds: [] },
  'in its last minute': { endsIn: '1 minute', holds: [] },
  'expired by date': { endsIn: '-1 second', holds: ['read-only', 'without-pro'] },
  Expired: { status: 'Expired', endsIn: '1 year', holds: ['read-only', 'without-pro'] },
  Suspended: { status: 'Suspended', endsIn: '1 year', holds: ['read-only', 'without-pro'] },
  Basic: { licenseType: 'Basic', endsIn: '1 year', holds: ['without-pro'] },
  'Basic, expired by date': {
    licenseType: 'Basic',
    endsIn: '-1 second',
    holds: ['read-only', 'without-pro'],
  },
}

/** Casbin copies its functions for every line it looks at; casbin-model.conf calls none of them. */
class PlainEnforcer extends Enforcer {
  override fm = new FunctionMap()
}

/** The lines of policies/, evaluated by Casbin itself: the reference for the other two. */
async function reference(): Promise<Enforcer> {
  const folder = join(root, 'policies')
  const files = readdirSync(folder).filter((file) => file.endsWith('.csv'))
  const text = [
    ...files.map((file) => readFileSync(join(folder, file), 'utf8')),
    ...Object.values(ADDED),
  ].join('\n')
  const model = newModelFromString(readFileSync(join(root, 'casbin-model.conf'), 'utf8'))
  return newEnforcerWithClass(PlainEnforcer, model, new StringAdapter(text))
}

type Question = readonly [object: string, verb: string]

const known = new Map<string, Map<string, string>>()

const answered = new Map<string, Map<string, boolean>>()

/** Casbin's answers to a user with just these roles, each question asked once. */
async function askerOf(enforcer: Enforcer, roles: string[]): Promise<(question: Question) => boolean> {
  const name = `holder of ${roles.join(', ')}`
  const answers = answered.get(name) ?? new Map<string, boolean>()
  if (!answered.has(name)) {
    answered.set(name, answers)
    for (const role of roles) await enforcer.addGroupingPolicy(name, role)
  }
  return ([object, verb]) => {
    const question = pair(object, verb)
    const answer = answers.get(question) ?? enforcer.enforceSync(name, object, verb)
    answers.set(question, answer)
    return answer
  }
}

/** `allow`, or the reason: the role's, else that of the first license role that takes it away. */
async function expectedOf(enforcer: Enforcer, role: string, holds: string[]): Promise<Map<string, string>> {
  const key = [role, ...holds].join('+')
  const seen = known.get(key)
  if (seen) return seen
  const askers = [{ reason: 'role', may: await askerOf(enforcer, [role]) }]
  for (const [index, reason] of holds.entries())
    askers.push({ reason, may: await askerOf(enforcer, [role, ...holds.slice(0, index + 1)]) })
  const verdicts = new Map<string, string>()
  for (const question of ALL) {
    const refused = askers.find(({ may }) => !may(question))
    verdicts.set(pair(...question), refused?.reason ?? 'allow')
  }
  known.set(key, verdicts)
  return verdicts
}

const EVERYTHING = OBJECTS.flatMap((object) => VERBS.map((verb): Question => [object, verb]))
/** Each object with a verb of either class, and each verb with objects of every kind of line. */
const SAMPLE = EVERYTHING.filter(
  ([object, verb]) =>
    ['list', 'edit'].includes(verb) || ['devices', 'patches', 'no_such_object'].includes(object),
)

const pair = (object = '', verb = '') => `${object} ${verb}`
/** The pairs that a line or a function of the database names. */
const NAMED = new Set([
  ...LINES.map(({ cells: [, , object, verb] }) => pair(object, verb)),
  ...readMigrations(root).flatMap(({ sql }) =>
    [...sql.matchAll(/app\.(?:can|require|why_not)\('([^']+)',\s*'([^']+)'/g)].map(([, object, verb]) =>
      pair(object, verb),
    ),
  ),
])
/** Each line's pairs, and each object with every verb that means something by itself. */
const NARROW = EVERYTHING.filter(
  (question) =>
    SAMPLE.includes(question) ||
    NAMED.has(pair(...question)) ||
    ['show', 'export', 'create', 'delete', 'frobnicate', 'lis', 'write', '*', ''].includes(question[1]),
)
/** The questions to an account whose roles another one had: each object with a verb of either class. */
const REPEATED = SAMPLE.filter(([, verb]) => ['list', 'edit'].includes(verb))
const isThorough = process.env.THOROUGH === '1'
const ALL = isThorough ? EVERYTHING : NARROW

interface Answer {
  policy: unknown
  /** `object verb` → what app.can and app.why_not say. */
  verdicts: Record<string, { can: boolean; why_not: string | null }>
}

describe.each(drivers())('database, Casbin and browser give the same verdict and reason, on %s', (driver) => {
  let backend: TestBackend
  let enforcer: Enforcer
  let compared = 0
  const askedInFull = new Set<string>()

  beforeAll(async () => {
    backend = await differentialBackend(driver)
    enforcer = await reference()
    // All questions of a user in one statement; the claims are as local as the API sets them.
    await backend.sql(`
    create function app.ask_as(claims jsonb, questions jsonb) returns jsonb language plpgsql as $$
    begin
      perform set_config('request.jwt.claims', claims::text, true),
        set_config('request.jwt.claim.sub', claims ->> 'sub', true);
      return jsonb_build_object('policy', public.my_policy(), 'verdicts', (
        select jsonb_object_agg(o || ' ' || v, jsonb_build_object('can', app.can(o, v), 'why_not', app.why_not(o, v)))
        from (select q ->> 0, q ->> 1 from jsonb_array_elements(questions) q) asked(o, v)));
    end $$`)
  })
  afterAll(async () => {
    console.log(`differential on ${driver}: ${compared} verdicts compared, each on three sides`)
    await backend.stop()
  })

  /**
   * Both functions read nothing of an account but the roles it holds, which is asked of every account: of several
   * with the same roles, only the first is asked everything.
   */
  function questionsOf(held: readonly string[]): readonly Question[] {
    const key = held.join('+')
    if (askedInFull.has(key) && !isThorough) return REPEATED
    askedInFull.add(key)
    return ALL
  }

  async function ask(claims: Record<string, unknown>, questions: readonly Question[]): Promise<Answer> {
    const [row] = await backend.sql<{ answer: Answer }>(
      'select app.ask_as($1::text::jsonb, $2::text::jsonb) as answer',
      [JSON.stringify(claims), JSON.stringify(questions)],
    )
    if (!row) throw new Error('no answer')
    return row.answer
  }

  async function compare(
    claims: Record<string, unknown>,
    held: readonly string[],
    expected: Map<string, string>,
  ): Promise<Answer> {
    const questions = questionsOf(held)
    const answer = await ask(claims, questions)
    const policy = readPolicy(answer.policy)
    expect(policy.roles).toEqual(held)
    const map = await mapOf(policy)
    const wrong: Record<string, unknown>[] = []
    for (const [object, verb] of questions) {
      const question = pair(object, verb)
      const database = answer.verdicts[question]
      const seen = map.can(object, verb)
      const sides = {
        casbin: expected.get(question),
        can: database?.can ? 'allow' : 'refuse',
        whyNot: database?.why_not ?? 'allow',
        browser: seen.allowed ? 'allow' : seen.reason,
      }
      compared += 1
      const agrees =
        sides.whyNot === sides.casbin &&
        sides.browser === sides.casbin &&
        (sides.can === 'allow') === (sides.casbin === 'allow')
      if (!agrees) wrong.push({ question, ...sides })
    }
    expect(wrong).toEqual([])
    return answer
  }

  it('Super Admin, who holds no license role', async () => {
    const { id } = await createAccount(backend, 'Super Admin', null)
    await compare({ sub: id }, ['Super Admin'], await expectedOf(enforcer, 'Super Admin', []))
  })

  describe.each(ROLES)('%s', (role) => {
    it.each(Object.entries(LICENSES))('license %s', async (_state, { holds, ...license }) => {
      const { id } = await createAccount(backend, role, await createCompany(backend, license))
      await compare({ sub: id }, [role, ...holds], await expectedOf(enforcer, role, holds))
    })
  })

  it('asked about every outcome there is', () => {
    const outcomes = new Set([...known.values()].flatMap((verdicts) => [...verdicts.values()]))
    expect([...outcomes].sort()).toEqual(['allow', 'read-only', 'role', 'without-pro'])
  })

  it.each([
    ['without a role row', async () => ({ sub: (await createAccount(backend, null, null)).id })],
    ['with an unknown account', async () => ({ sub: '00000000-0000-4000-8000-000000000000' })],
    ['anonymous', async () => ({ role: 'anon' })],
    [
      'banned',
      async () => {
        const { id } = await createAccount(backend, 'Super Admin', null)
        await backend.sql(`update auth.users set banned_until = now() + interval '1 hour' where id = $1`, [
          id,
        ])
        return { sub: id }
      },
    ],
    [
      'deleted',
      async () => {
        const { id } = await createAccount(backend, 'Super Admin', null)
        await backend.sql('update auth.users set deleted_at = now() where id = $1', [id])
        return { sub: id }
      },
    ],
    [
      'whose session was ended',
      async () => {
        const { id } = await createAccount(backend, 'Super Admin', null)
        return { sub: id, session_id: '00000000-0000-4000-8000-000000000000' }
      },
    ],
  ])('nobody may anything: %s', async (_who, claims) => {
    const nothing = new Map(ALL.map((question) => [pair(...question), 'role']))
    const answer = await compare(await claims(), [], nothing)
    expect(answer.policy).toMatchObject({ role: null, companyId: null, roles: [], lines: [] })
  })
})
