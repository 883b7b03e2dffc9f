import { createAccount } from '../../support/accounts'
import { type Driver, type TestBackend, testBackend } from '../../support/backend'
import { asUser, literal, type TryAll, tryAll } from '../support/as-user'
import type { Company, Verb } from './access'
import { furnishCompany } from './furnish-company'

export interface Actor {
  name: string
  /** Null is anonymous. */
  id: string | null
  companyId: string | null
  seesAll?: boolean
}

export interface Stage {
  backend: TestBackend
  /** Tries statements, each of which is taken back. */
  tryAll: TryAll
  companies: Record<'own' | 'other' | 'expired' | 'basic' | 'suspended', Company>
  actors: Actor[]
  /** The verdicts of the one permission truth, asked as the actor. Every attempt is taken back, so that the answer stays. */
  verdictsOf: (actor: Actor, verbs: readonly Verb[]) => Promise<(verb: Verb) => boolean>
}

/** Companies in every state with one row in every table each, and somebody of every role. */
export async function openStage(driver: Driver): Promise<Stage> {
  const backend = await testBackend({ driver, demo: false })
  await asUser(backend)
  const attempt = tryAll(backend)
  const companies = {
    own: await furnishCompany(backend),
    other: await furnishCompany(backend),
    expired: await furnishCompany(backend, { status: 'Expired', endsIn: '-1 day' }),
    basic: await furnishCompany(backend, { licenseType: 'Basic' }),
    suspended: await furnishCompany(backend, { status: 'Suspended' }),
  }
  const actor = async (name: string, role: string | null, company: Company | null): Promise<Actor> => ({
    name,
    id: (await createAccount(backend, role, company?.id ?? null)).id,
    companyId: company?.id ?? null,
    seesAll: role === 'Super Admin',
  })
  const actors = [
    await actor('Super Admin', 'Super Admin', null),
    await actor('Admin', 'Admin', companies.own),
    await actor('Teknik', 'Teknik', companies.own),
    await actor('Standard', 'Standard', companies.own),
    await actor('another company’s Admin', 'Admin', companies.other),
    await actor('Admin whose license has ended', 'Admin', companies.expired),
    await actor('Admin without Pro', 'Admin', companies.basic),
    await actor('Admin of a suspended company', 'Admin', companies.suspended),
    await actor('signed in without a role', null, null),
    { name: 'anonymous', id: null, companyId: null },
  ]
  const verdictsOf: Stage['verdictsOf'] = async ({ id }, verbs) => {
    const values = verbs.map(({ object, verb }) => `(${literal(object)}, ${literal(verb)})`).join(', ')
    const [answer] = await attempt([
      {
        who: id,
        statement: `select object, verb, app.can(object, verb) from (values ${values}) v (object, verb)`,
      },
    ])
    const allowed = new Set(
      answer?.data?.filter(({ can }) => can === true).map(({ object, verb }) => `${object} ${verb}`),
    )
    return ({ object, verb }) => allowed.has(`${object} ${verb}`)
  }
  return { backend, tryAll: attempt, companies, actors, verdictsOf }
}
