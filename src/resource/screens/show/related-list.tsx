import { Suspense, useState } from 'react'
import { useCan, useDenialText } from '@/access/use-can'
import type { Row } from '@/data/rows'
import { useReadable } from '@/resource/fields/guards'
import type { Definition, Related } from '@/resource/language/definition.generated'
import { canCreate, formOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { MissingComponent } from '@/resource/missing-component'
import { DeniedState } from '@/ui/denied-state'
import { lazyPart } from '@/ui/load-chunk'
import { PartLoading } from '@/ui/loading-state'

const RecordList = lazyPart(() =>
  import('@/resource/screens/list/record-list').then((module) => ({ default: module.RecordList })),
)
const FormDialog = lazyPart(() =>
  import('@/resource/screens/form/form-dialog').then((module) => ({ default: module.FormDialog })),
)

interface RelatedListProps {
  related: Related
  record: Row
}

/** The records that point here. */
export function RelatedList({ related, record }: RelatedListProps) {
  const target = findDefinition(related.resource)
  if (!target) return <MissingComponent component={related.resource} />
  return <RelatedRecords target={target} related={related} record={record} />
}

function RelatedRecords({ target, related, record }: RelatedListProps & { target: Definition }) {
  const can = useCan()
  const denialText = useDenialText()
  const definition = useReadable(target)
  const [isCreating, setCreating] = useState(false)
  const verdict = can(target.name, 'list')
  if (!verdict.allowed) return <DeniedState text={denialText(verdict.reason)} />
  const id = String(record.id)
  // A hand-written form cannot take the parent record, so the button opens it as in the list.
  const isInPlace = canCreate(target) && !formOf(target)?.component
  return (
    <Suspense fallback={<PartLoading />}>
      <RecordList
        definition={definition}
        under={{
          field: related.by,
          id,
          create: related.create === false ? false : isInPlace ? () => setCreating(true) : undefined,
        }}
      />
      {isCreating ? (
        <FormDialog
          definition={target}
          preset={{ [related.by]: target.fields[related.by]?.type === 'many-to-many' ? [id] : id }}
          fixed={[related.by]}
          companyId={companyOf(related, record)}
          onClose={() => setCreating(false)}
          onCreated={() => setCreating(false)}
        />
      ) : null}
    </Suspense>
  )
}

/** A new record belongs to the company of the one it is for, which may itself be a company. */
function companyOf(related: Related, record: Row): string | null {
  if (related.by === 'company_id') return String(record.id)
  return typeof record.company_id === 'string' ? record.company_id : null
}
