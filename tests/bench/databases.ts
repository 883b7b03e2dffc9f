import { existsSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startPostgres } from '../support/postgres'
import { type Fleet, fleet } from './fleet'
import { load, loadedDevices } from './load'
import { type Place, startPlace } from './place'

/** `supabase/.temp/bench` unless DATA_DIR says otherwise; PostgreSQL and the small fleets are next to it. */
const base = resolve(process.env.DATA_DIR ?? join('supabase', '.temp', 'bench'))

async function pglite(directory: string): Promise<Place> {
  return startPlace('PGlite', { dataDir: directory })
}

async function postgres(directory: string): Promise<Place> {
  const cluster = await startPostgres({
    directory: join(directory, 'cluster'),
    settings: ['shared_buffers=512MB', 'max_wal_size=4GB'],
  })
  const place = await startPlace('PostgreSQL', {
    dataDir: join(directory, 'server'),
    databaseUrl: cluster.url,
  })
  return {
    ...place,
    stop: async () => {
      await place.stop()
      await cluster.stop()
    },
  }
}

const KINDS = {
  PGlite: { open: pglite, suffix: '' },
  PostgreSQL: { open: postgres, suffix: '-postgres' },
} as const
export type Kind = keyof typeof KINDS

/** Replaces whatever the directory held by a freshly loaded fleet. */
export async function seed(
  kind: Kind,
  devices: number,
  log: (line: string) => void,
  tail = '',
  onlyDevices = false,
): Promise<Place> {
  const { open, suffix } = KINDS[kind]
  const directory = `${base}${suffix}${tail}`
  rmSync(directory, { recursive: true, force: true })
  const place = await open(directory)
  await load(place, fleet(devices), log, onlyDevices)
  return place
}

/** The databases that `bench:seed` loaded, started. */
export async function loadedPlaces(): Promise<{ kind: Kind; place: Place; fleet: Fleet }[]> {
  const found: { kind: Kind; place: Place; fleet: Fleet }[] = []
  for (const kind of Object.keys(KINDS) as Kind[]) {
    const directory = `${base}${KINDS[kind].suffix}`
    if (!existsSync(directory)) continue
    const place = await KINDS[kind].open(directory)
    // The start may have applied migrations, and what they add has no statistics yet.
    await place.query('analyze')
    const devices = await loadedDevices(place)
    if (devices) found.push({ kind, place, fleet: fleet(devices) })
    else await place.stop()
  }
  return found
}
