import { describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { countEmbeds, relatedCount } from '@/resource/request/query/related-counts'
import { recordMeta } from '@/resource/request/query/use-record-query'

const tickets = findDefinition('tickets') as Definition
const related = (resource: string, by: string) => ({ resource, by, count: true })

describe('related lists that are counted', () => {
  it('come with the record, by the key that leads here where two of them do', () => {
    const embeds = countEmbeds(tickets, findDefinition)
    expect(embeds).toContain('time_entries_ticket_id_count:time_entries(count)')
    expect(embeds).toContain('ticket_links_ticket_id_count:ticket_links!ticket_links_ticket_id_fkey(count)')
    const { select } = recordMeta(tickets, { companyId: null } as never)
    for (const embed of embeds) expect(select).toContain(embed)
  })

  it('have the number that was counted, or that of a field that counts them', () => {
    const record = { id: '1', time_entries_ticket_id_count: [{ count: 3 }], subticket_count: 2 }
    expect(relatedCount(tickets, related('time_entries', 'ticket_id'), record)).toBe(3)
    expect(relatedCount(tickets, { resource: 'tickets', by: 'parent_id' }, record)).toBe(2)
    expect(relatedCount(tickets, { resource: 'tickets', by: 'merged_into_id' }, record)).toBeUndefined()
  })
})
