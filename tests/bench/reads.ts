import type { Answered, Caller } from './client'

/** A request of the console, as its data provider writes it. */
export interface Read {
  name: string
  run: (caller: Caller) => Promise<Answered>
}

const ROWS = 51 // a page of 50, and one more that says whether there is a next page
const LIST =
  'select=id,company_id,name,hostname,status,os,os_version,ip_address,logged_in_user,agent_version,' +
  'offline_since,reboot_required,boot_time,version,updated_at,' +
  'company:companies!devices_company_id_fkey(name),' +
  'presence:device_presence(last_seen_at,cpu_percent,memory_percent,disk_percent)'

/** The literal company that makes the ordered index of a small company usable. */
const own = ({ company }: Caller) => (company ? `&company_id=eq.${company}` : '')
const byName = '&order=name_key.asc,id.asc'

const list = (rest: string, name: string): Read => ({
  name,
  run: (caller) => caller.ask(`devices?${LIST}${own(caller)}${rest}`),
})

const search = (word: string, name: string): Read => ({
  name,
  run: (caller) =>
    caller.ask(
      `rpc/search_devices?q=${encodeURIComponent(word)}&${LIST}${own(caller)}${byName}&limit=${ROWS}`,
    ),
})

/** @param serial the serial number of one device that every account may see */
export function deviceReads(serial: string, deepOffset: number): Read[] {
  return [
    list(`${byName}&limit=${ROWS}`, 'devices, 50 by name'),
    list(`&status=eq.offline${byName}&limit=${ROWS}`, 'devices, offline only'),
    list(`&order=offline_since.desc.nullsfirst,id.desc&limit=${ROWS}`, 'devices, by last seen'),
    list(`${byName}&limit=${ROWS}&offset=${deepOffset}`, `devices, page at row ${deepOffset}`),
    search(serial, 'search one serial'),
    search('ışık', 'search ışık'),
    {
      name: 'exact count, deferred',
      run: (caller) => caller.ask(`devices?select=id${own(caller)}&limit=1`, { count: true }),
    },
  ]
}

export const OTHER_READS: Read[] = [
  {
    name: 'dashboard',
    run: (caller) => caller.ask('rpc/dashboard', { body: { company: caller.company } }),
  },
  {
    name: 'groups, 50 by name',
    run: (caller) =>
      caller.ask(
        `groups?select=id,company_id,name,description,version,updated_at${own(caller)}&order=name.asc,id.asc&limit=${ROWS}`,
      ),
  },
  {
    name: 'procedures, 50 by name',
    run: (caller) =>
      caller.ask(
        `procedures?select=id,company_id,name,type,category,revision,version,updated_at${own(caller)}${byName}&limit=${ROWS}`,
      ),
  },
]
