import { describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import {
  planComments,
  renderCommentChanges,
  renderComments,
} from '../../../scripts/resource/migration/comments'
import { created, define, openChangeDesk, problems, scratch } from '../support/change-desk'

openChangeDesk()

const COMPANY = '11111111-1111-4111-8111-111111111111'

function planOf(definition: Definition) {
  const plan = planComments(definition)
  if (!plan) throw new Error('The definition has no comments.')
  return plan
}

describe('comments of a definition', () => {
  it('are a table that `check` asks for and `migrate` makes, and changes with the kinds', async () => {
    const fields = { name: { type: 'text' as const }, is_open: { type: 'boolean' as const } }
    const name = await created(fields)
    const plain: Definition = { ...define(name, fields), comments: true }
    expect((await problems(plain)).join()).toContain(
      `/comments the database has no table or view \`${name}_comments\``,
    )
    await scratch.run(renderComments(planOf(plain)))
    expect(await problems(plain)).toEqual([])

    const rows = (kind: string) => `
      insert into public.companies (id, name) values ('${COMPANY}', 'One') on conflict do nothing;
      insert into public.${name} (company_id, name) select '${COMPANY}', 'Thing' where not exists (select 1 from public.${name});
      insert into public.${name}_comments (company_id, ${name}_id, kind, body)
        select company_id, id, '${kind}', 'Words of ${kind}' from public.${name};`
    await scratch.run(rows('reply'))
    await expect(scratch.run(rows('note'))).rejects.toThrow(/_kind_check/)

    const kinds: Definition = {
      ...plain,
      comments: { kinds: { reply: { when: { is_open: { _eq: true } } }, note: { own_lines: true } } },
    }
    await scratch.run(renderCommentChanges(planOf(kinds)))
    await scratch.run(rows('note'))
    const [row] = await scratch.query<{ settings: unknown }>(
      'select settings from app.commented where comments = $1',
      [`${name}_comments`],
    )
    expect(row?.settings).toEqual({
      resource: name,
      table: name,
      record: `${name}_id`,
      path: `/${name}`,
      kinds: { reply: { when: 'is_open = true' }, note: { object: `${name}-notes` } },
    })
    const policies = await scratch.query<{ text: string }>(
      `select pg_get_expr(polqual, polrelid) as text from pg_policy where polname = $1`,
      [`${name}_comments_select_member`],
    )
    expect(policies.map(({ text }) => text).join()).toContain(`'${name}-notes'::text`)
  })
})
