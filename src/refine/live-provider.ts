import type { LiveProvider } from '@refinedev/core'
import { companyTopic, type LiveChange, lastChange, subscribeToTopic } from '@/data/live'

const TYPES: Record<LiveChange['op'], string> = {
  insert: 'created',
  update: 'updated',
  delete: 'deleted',
  '*': '*',
}

/**
 * Channel `resources/<table>`, `meta.companyId` the company, or all. `payload.change` is the whole message: a list needs
 * to know whether the page itself wrote, and what was read before it joined. `meta.tables` widens the channel, `meta.topic`
 * names another topic than the company's.
 */
export const liveProvider: LiveProvider = {
  subscribe: ({ channel, callback, meta }) => {
    const own = channel.replace(/^resources\//, '')
    const tables = new Set<string>([own, '*', ...((meta?.tables as readonly string[] | undefined) ?? [])])
    const companyId = typeof meta?.companyId === 'string' ? meta.companyId : null
    const topic = typeof meta?.topic === 'string' ? meta.topic : companyTopic(companyId)
    const tell = (change: LiveChange) => {
      if (!tables.has(change.table)) return
      callback({
        channel,
        type: TYPES[change.op],
        payload: { ids: [...change.ids], change },
        date: new Date(),
      })
    }
    const stop = subscribeToTopic(topic, tell)
    // Told while no screen of the table was open: what was read before then is old.
    const readUntil = lastChange(topic, tables)
    if (readUntil > 0) tell({ table: own, op: '*', ids: [], own: false, readUntil })
    return stop
  },
  unsubscribe: (stop: () => void) => stop(),
}
