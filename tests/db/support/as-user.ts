import type { TestBackend } from '../../support/backend'

/**
 * Runs a statement in the database exactly as the API would for a user, and takes it back afterwards. Faster than
 * HTTP by far, so that whole matrices can be tried, and it sees what the API hides: how many rows, which hint.
 */
const SETUP = `
create schema if not exists test;
create or replace function test.attempt(who uuid, statement text, probe text, successes_only boolean default false) returns jsonb language plpgsql as $$
declare
  answer jsonb := '{}';
  seen jsonb;
  affected integer;
  failed_with text; said text; hinted text; detailed text; bound text;
begin
  begin
    perform set_config('request.jwt.claim.sub', coalesce(who::text, ''), true),
      set_config('request.jwt.claims', case when who is null then '' else json_build_object('sub', who)::text end, true);
    perform set_config('role', case when who is null then 'anon' else 'authenticated' end, true);
    begin
      if statement ~* '^\\s*(select|with)' then
        execute format('select coalesce(jsonb_agg(to_jsonb(q)), ''[]'') from (%s) q', statement) into seen;
        answer := jsonb_build_object('rows', jsonb_array_length(seen), 'data', seen);
      else
        execute statement;
        get diagnostics affected = row_count;
        answer := jsonb_build_object('rows', affected);
      end if;
    exception when others then
      get stacked diagnostics failed_with = returned_sqlstate, said = message_text, hinted = pg_exception_hint,
        detailed = pg_exception_detail, bound = constraint_name;
      answer := jsonb_build_object('code', failed_with, 'message', said, 'hint', hinted, 'detail', detailed, 'constraint', bound);
    end;
    perform set_config('role', 'none', true), set_config('request.jwt.claim.sub', '', true), set_config('request.jwt.claims', '', true);
    if probe is not null and not (successes_only and answer ? 'code') then
      execute format('select coalesce(jsonb_agg(to_jsonb(q)), ''[]'') from (%s) q', probe) into seen;
      answer := answer || jsonb_build_object('probe', seen);
    end if;
    raise exception using errcode = 'UNDO0';
  exception when sqlstate 'UNDO0' then
    null;
  end;
  return answer;
end $$;`

export interface Attempt {
  /** Rows read or changed; undefined when it failed. */
  rows?: number
  data?: Record<string, unknown>[]
  code?: string
  message?: string
  hint?: string
  detail?: string
  constraint?: string
  /** The owner's view after the statement and before it is taken back. */
  probe?: Record<string, unknown>[]
}

export type AsUser = (who: string | null, statement: string, probe?: string) => Promise<Attempt>

/** @returns a function that tries a statement as a user (null is anonymous) and leaves no trace of it. */
export async function asUser({ sql }: Pick<TestBackend, 'sql'>): Promise<AsUser> {
  for (const statement of SETUP.split(/;\n(?=create )/)) await sql(statement)
  return async (who, statement, probe) => {
    const [row] = await sql<{ answer: Attempt }>('select test.attempt($1, $2, $3) as answer', [
      who,
      statement,
      probe ?? null,
    ])
    if (!row) throw new Error('no answer')
    return row.answer
  }
}

export interface Try {
  who: string | null
  statement: string
  probe?: string
}
export type TryAll = (attempts: readonly Try[]) => Promise<Attempt[]>

/** As `asUser`, which sets it up: many attempts in one round trip. A statement that fails is not followed by its probe. */
export function tryAll({ sql }: Pick<TestBackend, 'sql'>): TryAll {
  return async (attempts) => {
    const [row] = await sql<{ answers: Attempt[] }>(
      `select jsonb_agg(test.attempt((a ->> 'who')::uuid, a ->> 'statement', a ->> 'probe', true) order by n) as answers
       from jsonb_array_elements($1::text::jsonb) with ordinality t (a, n)`,
      [JSON.stringify(attempts)],
    )
    if (!row) throw new Error('no answer')
    return row.answers
  }
}

export const literal = (value: unknown): string => {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return `'${text.replaceAll("'", "''")}'`
}

export const jsonLiteral = (value: unknown) => `${literal(JSON.stringify(value))}::jsonb`

export const idsLiteral = (ids: readonly string[]) => `array[${ids.map(literal).join(', ')}]::uuid[]`

export type Values = Record<string, unknown>

export const whereOf = (key: Values): string =>
  Object.entries(key)
    .map(([column, value]) => `${column} = ${literal(value)}`)
    .join(' and ')

export const insertInto = (table: string, values: Values): string =>
  `insert into public.${table} (${Object.keys(values).join(', ')}) values (${Object.values(values).map(literal).join(', ')})`

/** Inserts a row as the owner and gives its id. */
export async function insertRow(
  { sql }: Pick<TestBackend, 'sql'>,
  table: string,
  values: Values,
): Promise<string> {
  const [row] = await sql<{ id: string }>(`${insertInto(table, values)} returning id`)
  return row?.id ?? ''
}

export const updateOf = (table: string, values: Values, key: Values): string =>
  `update public.${table} set ${Object.entries(values)
    .map(([column, value]) => `${column} = ${literal(value)}`)
    .join(', ')} where ${whereOf(key)}`
