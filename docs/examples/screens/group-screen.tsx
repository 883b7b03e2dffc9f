import { useTable } from '@refinedev/antd'
import { type BaseRecord, CanAccess, Link, useShow } from '@refinedev/core'
import { Table } from 'antd'
import { useErrorText } from '@/resource/use-error-text'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'

interface Group extends BaseRecord {
  id: string
  name: string
  description: string | null
}

interface Member extends BaseRecord {
  device_id: string
  device: { name: string; status: string }
}

/** A group with its devices. `useShow` takes resource and id from the address. */
export function GroupScreen() {
  const errorText = useErrorText()
  const { query, result: group } = useShow<Group>()
  if (query.error) return <ErrorState text={errorText(query.error)} onRetry={() => void query.refetch()} />
  if (!group) return <LoadingState />
  return (
    <>
      <h2>{group.name}</h2>
      <p>{group.description}</p>
      <CanAccess resource="groups" action="edit">
        <Link go={{ to: { resource: 'groups', action: 'edit', id: group.id } }}>Edit group</Link>
      </CanAccess>
      <Members groupId={group.id} />
    </>
  )
}

function Members({ groupId }: { groupId: string }) {
  const errorText = useErrorText()
  const { tableProps, tableQuery } = useTable<Member>({
    resource: 'group_devices',
    filters: { permanent: [{ field: 'group_id', operator: 'eq', value: groupId }] },
    sorters: { permanent: [{ field: 'device_id', order: 'asc' }] },
    meta: { select: 'device_id,device:devices(name,status)' },
    syncWithLocation: false,
  })
  if (tableQuery.error)
    return <ErrorState text={errorText(tableQuery.error)} onRetry={() => void tableQuery.refetch()} />
  return (
    <Table {...tableProps} rowKey="device_id">
      <Table.Column<Member> title="Name" dataIndex={['device', 'name']} />
      <Table.Column<Member> title="Status" dataIndex={['device', 'status']} />
    </Table>
  )
}
