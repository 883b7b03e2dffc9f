/**
 * The shape of the benchmark's fleet: how many companies, who owns how many devices, who signs in.
 * Everything is a function of the number of devices, so that two machines load the same rows.
 */

export const PASSWORD = 'Bench-Console-2026'

/** Companies numbered from 0: the big one, those of about the same size, and the smallest one last. */
export interface Fleet {
  devices: number
  companies: number
  /** Devices of company 0. */
  big: number
  /** Devices of the last company. */
  small: number
}

export function fleet(devices: number): Fleet {
  const companies = Math.max(3, Math.min(201, Math.round(devices / 500) + 1))
  return { devices, companies, big: Math.round(devices * 0.4), small: 10 }
}

/** The same as `app.bench_company_of` in SQL: which company the n-th device (from 1) belongs to. */
export const COMPANY_OF = (f: Fleet, n = 'n') =>
  `case when ${n} <= ${f.big} then 0
        when ${n} > ${f.devices - f.small} then ${f.companies - 1}
        else 1 + (${n} - ${f.big} - 1) % ${f.companies - 2} end`

/** Ids are hashes of what they name, so a run can address a row without having read it. */
export const ID = (kind: string, n: string) => `md5('${kind}:' || ${n})::uuid`

export interface Account {
  view: 'all' | 'big' | 'middle' | 'small'
  email: string
  role: 'Super Admin' | 'Admin'
  /** Number of the company, null for all. */
  company: number | null
}

export function accounts(f: Fleet): Account[] {
  return [
    { view: 'all', email: 'super@bench.test', role: 'Super Admin', company: null },
    { view: 'big', email: 'big@bench.test', role: 'Admin', company: 0 },
    { view: 'middle', email: 'middle@bench.test', role: 'Admin', company: 1 },
    { view: 'small', email: 'small@bench.test', role: 'Admin', company: f.companies - 1 },
  ]
}

/**
 * Six of every thousand devices carry a word whose case Turkish and ASCII disagree on. The fold must bring
 * each three together: {@link TURKISH} says how many rows each of the four searches has to find.
 */
export const TURKISH_NAMES = ['ışık', 'IŞIK', 'Işık', 'İSTANBUL', 'istanbul', 'İstanbul'] as const

export const DEVICE_NAME = (n = 'n') =>
  `case ${n} % 1000 ${TURKISH_NAMES.map((name, i) => `when ${i} then '${name}-'`).join(' ')}
     else (array['LAPTOP-','DESKTOP-','SERVER-','WS-','kasa-','ofis-','Çağrı-','Üretim-'])[1 + ${n} % 8]
   end || lpad(${n}::text, 6, '0')`

/** How many device numbers in 1..n leave one of the remainders when divided by 1,000. */
export function turkishRows(devices: number, word: 'ışık' | 'istanbul'): number {
  const remainders = word === 'ışık' ? [0, 1, 2] : [3, 4, 5]
  return remainders
    .map((r) =>
      r === 0 ? Math.floor(devices / 1000) : Math.floor((devices - r) / 1000) + (devices >= r ? 1 : 0),
    )
    .reduce((sum, count) => sum + count, 0)
}

export const SERIAL = (n = 'n') => `'SN' || upper(substr(md5('serial:' || ${n}), 1, 10))`

/** The secret a benchmark device checks in with. The database holds only its hash. */
export const DEVICE_SECRET = (n: number) => `bench-device-secret-${n}`
