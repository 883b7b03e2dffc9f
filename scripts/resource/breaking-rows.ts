import { StartError } from '../../supabase/embedded/start-error'
import type { Changes } from './migration/alter'
import type { Probe } from './migration/probes'

const SAMPLES = 3

/** A question for the rows that break a rule. @param added columns that the table is about to get */
function questionOf({ table, where }: Probe, added: readonly string[]): string {
  return `select count(*) over ()::integer as total, to_jsonb(r) ->> 'id' as id
    from (select ${['t.*', ...added].join(', ')} from public.${table} t) r where ${where} limit ${SAMPLES}`
}

/** @throws StartError that names the rows of the live database that a change would break. */
export async function refuseBreakingRows(
  { probes, added }: Pick<Changes, 'probes' | 'added'>,
  ask: (questions: readonly string[]) => Promise<(Record<string, unknown>[] | null)[]>,
): Promise<void> {
  const answers = await ask(probes.map((probe) => questionOf(probe, added)))
  const broken = probes.flatMap(({ table, where, problem, remedy }, at) => {
    const rows = answers[at] ?? []
    const total = Number(rows[0]?.total ?? 0)
    if (total === 0) return []
    const ids = rows.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
    const samples = ids.length > 0 ? `, such as ${ids.join(', ')}` : ''
    return `${total} ${total === 1 ? 'row' : 'rows'} of \`${table}\` ${problem}${samples}.
    ${remedy}. Find them: select * from public.${table} r${where === 'true' ? '' : ` where ${where}`};`
  })
  if (broken.length > 0)
    throw new StartError(`Nothing was written, because rows of the database break it.\n${broken.join('\n')}`)
}
