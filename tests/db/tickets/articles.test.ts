import { randomUUID } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestBackend, testBackend } from '../../support/backend'
import { patience } from '../../support/patience'
import { heardOf, listen } from '../support/live-ears'

/** A word of drafts and of articles for the desk or of another company: nothing of it may be in any answer to a requester. */
const SECRET = `gizli${randomUUID().slice(0, 8)}`

let backend: TestBackend
let requester: SupabaseClient
let desk: SupabaseClient
let admin: SupabaseClient
let stranger: SupabaseClient
let acme: string
let globex: string
const articles: Record<string, string> = {}
const people = new Map<string, string>()
let attempts = 0

const one = async <R>(query: string, params: unknown[] = []) => (await backend.sql<R>(query, params))[0] as R
const made = async (query: string, params: unknown[] = []) => (await one<{ id: string }>(query, params)).id

beforeAll(async () => {
  backend = await testBackend()
  ;[requester, desk, admin, stranger] = (await Promise.all(
    ['standard@acme.test', 'teknik@acme.test', 'admin@acme.test', 'admin@globex.test'].map((email) =>
      backend.client(email),
    ),
  )) as [SupabaseClient, SupabaseClient, SupabaseClient, SupabaseClient]
  for (const { id, email } of await backend.sql<{ id: string; email: string }>(
    'select id, email from public.profiles',
  ))
    people.set(email, id)
  acme = await made('select id from public.companies where name = $1', ['Acme'])
  globex = await made('select id from public.companies where name = $1', ['Globex'])
  const article = (company: string, title: string, status: string, audience: string) =>
    made(
      'insert into public.articles (company_id, title, body, status, audience) values ($1, $2, $3, $4, $5) returning id',
      [company, title, `Body of ${title}`, status, audience],
    )
  articles.open = await article(acme, 'Yazıcıdan İçıktı alınamıyor', 'published', 'everyone')
  articles.draft = await article(acme, `Draft yazıcı ${SECRET}`, 'draft', 'everyone')
  articles.desk = await article(acme, `Desk yazıcı ${SECRET}`, 'published', 'desk')
  articles.foreign = await article(globex, `Foreign yazıcı ${SECRET}`, 'published', 'everyone')
}, patience(120_000))
afterAll(async () => {
  console.log(`a requester at drafts, desk articles and those of another company: ${attempts} attempts`)
  expect(attempts).toBeGreaterThanOrEqual(40)
  await backend?.stop()
})

describe('articles', () => {
  it('are found by requesters when they are published for everyone, by Turkish words too', async () => {
    const { data } = await requester.rpc('search_articles', { q: 'yazicidan icikti' }).select('id')
    expect(data).toEqual([{ id: articles.open }])
    const found = await requester.rpc('suggest_articles', { q: 'YAZICIM çıktı vermiyor', company: acme })
    expect(found.error).toBeNull()
    expect((found.data as { id: string }[]).map(({ id }) => id)).toContain(articles.open)
  })

  it('suggest nothing for words that no article has, and those with the words in their title first', async () => {
    expect((await requester.rpc('suggest_articles', { q: 'zzzzzz qqqqqq' })).data).toEqual([])
    expect((await requester.rpc('suggest_articles', { q: '' })).data).toEqual([])
    await backend.sql(
      `insert into public.articles (company_id, title, body, status, audience) values
        ($1, 'Something else', 'The projektor appears in the text, and so does kablosuz', 'published', 'everyone'),
        ($1, 'Projektor kablosuz', 'Text', 'published', 'everyone')`,
      [acme],
    )
    const { data } = await requester.rpc('suggest_articles', { q: 'kablosuz projektor', company: acme })
    expect((data as { title: string }[]).map(({ title }) => title)).toEqual([
      'Projektor kablosuz',
      'Something else',
    ])
  })

  it('are edited by Teknik and removed by Admin alone', async () => {
    const edit = await desk.from('articles').update({ body: 'Better' }).eq('id', articles.draft).select('id')
    expect(edit.data).toEqual([{ id: articles.draft }])
    expect((await desk.from('articles').delete().eq('id', articles.draft)).error?.code).toBe('42501')
    const spare = await admin
      .from('articles')
      .insert({ company_id: acme, title: 'Spare', body: 'Spare' })
      .select('id,status,audience')
      .single<{ id: string }>()
    // Closed by default: nobody outside the desk reads what was just begun.
    expect(spare.data).toMatchObject({ status: 'draft', audience: 'desk' })
    expect(
      (await admin.rpc('bulk_delete', { resource: 'articles', ids: [spare.data?.id] }).throwOnError()).data,
    ).toMatchObject([{ outcome: 'deleted' }])
  })

  it('are published and taken back by whoever edits them', async () => {
    const set = (client: SupabaseClient, ids: unknown[], status: string) =>
      client.rpc('set_article_status', { ids, status })
    const states = async () =>
      backend.sql('select status from public.articles where id = any ($1) order by id', [
        [articles.draft, articles.desk].sort(),
      ])
    const before = await states()
    expect((await set(desk, [articles.draft, articles.desk], 'published')).data).toBe(2)
    expect(await states()).toEqual([{ status: 'published' }, { status: 'published' }])
    expect((await set(desk, [articles.draft], 'draft')).data).toBe(1)
    expect(await states()).toEqual(before)
    expect((await set(desk, [articles.draft], 'secret')).error).toMatchObject({ code: '23514' })
    expect((await set(desk, [articles.draft, articles.foreign], 'draft')).data).toBe(1)
    expect((await set(desk, [articles.foreign], 'draft')).error).toMatchObject({ code: 'PT404' })
    const spare = await made(
      `insert into public.articles (company_id, title, body, deleted_at) values ($1, 'Trashed', 'Trashed', now()) returning id`,
      [acme],
    )
    expect((await set(desk, [spare], 'published')).error).toMatchObject({ code: 'PT404' })
    expect(await states()).toEqual(before)
  })

  it('count one vote a person, which changes and is taken back, without a new version', async () => {
    const read = () =>
      one<object>('select helpful, unhelpful, version, updated_at from public.articles where id = $1', [
        articles.open,
      ])
    const before = await read()
    const vote = (client: SupabaseClient, helpful: boolean | null) =>
      client.rpc('vote_articles', { ids: [articles.open], helpful })
    expect((await vote(requester, true)).data).toBe(1)
    expect((await vote(requester, true)).data).toBe(0)
    expect((await vote(desk, true)).data).toBe(1)
    expect(await read()).toEqual({ ...before, helpful: 2, unhelpful: 0 })
    expect((await vote(requester, false)).data).toBe(1)
    expect(await read()).toEqual({ ...before, helpful: 1, unhelpful: 1 })
    expect((await vote(requester, null)).data).toBe(1)
    expect(await read()).toEqual({ ...before, helpful: 1, unhelpful: 0 })
    // A vote is read by its voter alone.
    expect(
      (await requester.from('article_votes').select('article_id').eq('article_id', articles.open)).data,
    ).toEqual([])
    expect(
      (await desk.from('article_votes').select('is_helpful').eq('article_id', articles.open)).data,
    ).toEqual([{ is_helpful: true }])
  })

  it('lose the votes of an article that is deleted for good', async () => {
    const spare = await made(
      `insert into public.articles (company_id, title, body, status, audience) values ($1, 'Gone', 'Gone', 'published', 'everyone') returning id`,
      [acme],
    )
    expect((await requester.rpc('vote_articles', { ids: [spare], helpful: true })).data).toBe(1)
    for (const name of ['bulk_delete', 'purge_records'])
      expect(
        (await admin.rpc(name, { resource: 'articles', ids: [spare] }).throwOnError()).data,
      ).toMatchObject([{ outcome: 'deleted' }])
    expect(await backend.sql('select 1 from public.article_votes where article_id = $1', [spare])).toEqual([])
  })
})

interface Answer {
  data: unknown
  error: unknown
  count?: number | null
}

function expectNothing(what: string, { data, error, count }: Answer): void {
  attempts++
  const text = JSON.stringify([data, error, count ?? null])
  expect(text, what).not.toContain(SECRET)
}

describe('a requester reaches', () => {
  it('no draft, desk article or article of another company by REST, search, functions or counts', async () => {
    const hidden = [articles.draft, articles.desk, articles.foreign] as string[]
    const table = () => requester.from('articles')
    const call = (name: string, args: object) => requester.rpc(name, args) as PromiseLike<Answer>
    const title = { name: 'articles', columns: ['title'], company_id: null }
    const asked: [string, PromiseLike<Answer>][] = [
      ['all', table().select('*')],
      ['drafts', table().select('*').eq('status', 'draft')],
      ['for the desk', table().select('*').eq('audience', 'desk')],
      ['by id', table().select('*').in('id', hidden)],
      ['by words', table().select('*').ilike('body', `%${SECRET}%`)],
      ['by searched words', table().select('*').ilike('search', `%${SECRET}%`)],
      ['sorted by what is hidden', table().select('*').order('title_key').limit(1000)],
      ['as CSV', table().select('*').csv()],
      ['from categories', requester.from('ticket_categories').select('name, articles(title)')],
      ['from companies', requester.from('companies').select('name, articles(title)')],
      ['from votes', requester.from('article_votes').select('articles(title)')],
      ['search_articles', call('search_articles', { q: SECRET })],
      ['suggest_articles', call('suggest_articles', { q: `yazıcı ${SECRET}`, most: 1000 })],
      [
        'suggest_articles of another company',
        call('suggest_articles', { q: 'foreign yazıcı', company: globex }),
      ],
      ['find_records', call('find_records', { q: SECRET, resources: [title] })],
      ['matching_ids', call('matching_ids', { resource: 'articles', filter: {}, q: SECRET })],
      [
        'facet_counts',
        call('facet_counts', { resource: 'articles', field: 'status', filter: {}, q: SECRET }),
      ],
      ['record_titles', call('record_titles', { wanted: { articles: hidden } })],
      ['record_activity', call('record_activity', { resource: 'articles', record_id: articles.draft })],
      [
        'is_taken',
        call('is_taken', {
          resource: 'articles',
          fields: ['title'],
          record: { title: SECRET, company_id: acme },
        }),
      ],
      ['audit', requester.from('audit_log').select('*').eq('table_name', 'articles')],
      ['files', requester.from('files').select('*').eq('resource', 'articles')],
    ]
    for (const [how, query] of asked) {
      const answer = await query
      expectNothing(how, answer)
      for (const id of hidden)
        if (how !== 'record_titles') expect(JSON.stringify(answer.data), how).not.toContain(id)
    }
    attempts += 2
    const { count } = await table().select('*', { count: 'exact', head: true }).in('id', hidden)
    expect(count).toBe(0)
    const total = await table().select('*', { count: 'exact', head: true })
    const open = await one<{ n: number }>(
      `select count(*)::int as n from public.articles where company_id = $1 and status = 'published' and audience = 'everyone' and deleted_at is null`,
      [acme],
    )
    expect(total.count).toBe(open.n)
  })

  it('no article with a write, and no vote on one that they do not read', async () => {
    const before = await backend.sql('select * from public.articles order by id')
    const votes = await backend.sql('select * from public.article_votes order by article_id, user_id')
    const tried: [string, PromiseLike<Answer>][] = []
    for (const id of [articles.draft, articles.desk, articles.foreign, articles.open]) {
      tried.push(
        [`edit ${id}`, requester.from('articles').update({ body: 'x' }).eq('id', id).select()],
        [
          `publish ${id}`,
          requester.from('articles').update({ status: 'published', audience: 'everyone' }).eq('id', id),
        ],
        [
          `publish by the function ${id}`,
          requester.rpc('set_article_status', { ids: [id], status: 'published' }),
        ],
        [`take back ${id}`, requester.rpc('set_article_status', { ids: [id], status: 'draft' })],
        [`delete ${id}`, requester.from('articles').delete().eq('id', id).select()],
        [
          `bulk_edit ${id}`,
          requester.rpc('bulk_edit', { resource: 'articles', ids: [id], changes: { body: 'x' } }),
        ],
      )
    }
    for (const id of [articles.draft, articles.desk, articles.foreign])
      tried.push(
        [`vote ${id}`, requester.rpc('vote_articles', { ids: [id], helpful: true })],
        [
          `vote by REST ${id}`,
          requester.from('article_votes').insert({ company_id: acme, article_id: id, is_helpful: true }),
        ],
      )
    tried.push(
      ['create', requester.from('articles').insert({ company_id: acme, title: 'x', body: 'x' })],
      [
        'vote for somebody else',
        requester.from('article_votes').insert({
          company_id: acme,
          article_id: articles.open,
          user_id: people.get('admin@acme.test'),
          is_helpful: false,
        }),
      ],
      ['write the counts', requester.from('articles').update({ helpful: 1000 }).eq('id', articles.open)],
      [
        'write the counts as the desk',
        desk.from('articles').update({ helpful: 1000 }).eq('id', articles.open),
      ],
      [
        'publish from another company',
        stranger.rpc('set_article_status', { ids: [articles.draft], status: 'published' }),
      ],
      ['vote from another company', stranger.rpc('vote_articles', { ids: [articles.open], helpful: false })],
    )
    for (const [how, query] of tried) expectNothing(how, await query)
    expect(await backend.sql('select * from public.articles order by id')).toEqual(before)
    expect(await backend.sql('select * from public.article_votes order by article_id, user_id')).toEqual(
      votes,
    )
  })

  it('no live message of an article that they do not read', async () => {
    const [pried, open] = await Promise.all([
      listen(requester, `company:${acme}`),
      listen(desk, `company:${acme}`),
    ])
    attempts += 2
    for (const id of [articles.desk, articles.draft])
      await backend.sql('update public.articles set body = $2 where id = $1', [id, `Again ${SECRET}`])
    await expect.poll(() => heardOf(open, articles.draft ?? '')).toBe(true)
    expect(heardOf(pried, articles.desk ?? '')).toBe(false)
    expect(heardOf(pried, articles.draft ?? '')).toBe(false)
  })
})
