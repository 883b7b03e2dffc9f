import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Copy } from './copy'

const RETIRE = `
create function public.retire_printers(ids uuid[], reason text) returns integer
  language plpgsql set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require('printers', 'edit');
  update public.printers p set status = 'retired', reason = retire_printers.reason where p.id = any (ids);
  get diagnostics changed = row_count;
  return changed;
end $$;
revoke all on function public.retire_printers(uuid[], text) from public, anon;
grant execute on function public.retire_printers(uuid[], text) to authenticated;
`

/** A resource from nothing, by the command alone. */
export async function newPrinters(copy: Copy): Promise<void> {
  const fields = ['serial:text!', 'model:text(80)', 'status:enum(active,repair,retired)=active']
  const more = ['device_id:devices', 'bought_on:date', 'warranty:date']
  const labels = ['--label', 'Printer/Printers', '--label-tr', 'Yazıcı/Yazıcılar', '--icon', 'printer']
  await copy.run('resource', 'new', 'printers', ...fields, ...more, ...labels, '--trash')
}

/** Edits the definition, and writes a migration for its action, as an editor would. Next: `migrate`. */
export function editPrinters(copy: Copy): void {
  const file = join(copy.root, 'resources/printers.json')
  const definition = JSON.parse(readFileSync(file, 'utf8'))
  definition.fields.warranty.check = { _gte: '$record.bought_on' }
  definition.fields.reason = {
    type: 'textarea',
    max_length: 500,
    when: { status: { _eq: 'retired' } },
    required: true,
    label: { en: 'Reason', tr: 'Gerekçe' },
  }
  definition.list = {
    columns: ['serial', 'model', 'status', 'device_id', 'warranty'],
    sort: 'serial',
    layouts: ['table', 'board', 'calendar'],
    board: { by: 'status', limits: { repair: 1 } },
    calendar: { from: 'bought_on', until: 'warranty' },
    views: {
      in_repair: { filter: { status: { _eq: 'repair' } }, label: { en: 'In repair', tr: 'Tamirde' } },
    },
  }
  definition.actions = {
    retire: {
      label: { en: 'Retire', tr: 'Kullanımdan kaldır' },
      on: ['row', 'bulk', 'record'],
      rpc: 'retire_printers',
      danger: true,
      when: { status: { _neq: 'retired' } },
      policy: { object: 'printers', verb: 'edit' },
      params: { reason: { type: 'textarea', required: true, label: { en: 'Reason', tr: 'Gerekçe' } } },
    },
  }
  writeFileSync(file, JSON.stringify(definition, null, 2))
  writeFileSync(join(copy.root, 'supabase/migrations/20991231235959_retire_printers.sql'), RETIRE)
}

export async function addPrinters(copy: Copy): Promise<void> {
  await newPrinters(copy)
  editPrinters(copy)
  await copy.run('resource', 'migrate', 'printers')
}
