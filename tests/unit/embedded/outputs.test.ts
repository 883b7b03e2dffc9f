import { expect, it } from 'vitest'
import { hasManyOutputs } from '../../../supabase/embedded/http/outputs'

const many = (table: string, query: string) => hasManyOutputs(new URLSearchParams(query), table)

it.each([
  ['job_runs', 'select=id,output&id=eq.1'],
  ['job_runs', 'id=eq.1'],
  ['job_runs', 'select=id,output&limit=20'],
  ['job_runs', `select=output&id=in.(${Array.from({ length: 20 }, (_, n) => n).join(',')})`],
  ['job_runs', 'select=id,status,job:jobs(id,name)&limit=1000'],
  ['devices', 'select=id,job_runs(id,status)'],
  ['devices', 'select=id,last:job_runs(output)&id=eq.1&last.limit=5'],
  ['devices', ''],
])('reads few outputs: %s?%s', (table, query) => {
  expect(many(table, query)).toBe(false)
})

it.each([
  ['job_runs', ''],
  ['job_runs', 'select=*&limit=100'],
  ['job_runs', 'select=a:output,b:output&limit=11'],
  ['job_runs', 'select=output&limit=-1&id=neq.1'],
  [
    'devices',
    'select=a:job_runs(a:output,b:output),b:job_runs(a:output,b:output)&id=eq.1&a.limit=6&b.limit=6',
  ],
  ['devices', 'select=job_runs!inner(*)&limit=5'],
  ['devices', 'select=x:job_runs_device_id_fkey(*)&id=eq.1'],
  ['jobs', 'select=id,job_runs(device:devices(job_runs(output)))&id=eq.1'],
])('refuses many outputs: %s?%s', (table, query) => {
  expect(many(table, query)).toBe(true)
})
