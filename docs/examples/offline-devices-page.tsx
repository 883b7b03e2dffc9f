import { useTable } from '@refinedev/antd'
import { type BaseRecord, CanAccess, type HttpError, useForm } from '@refinedev/core'
import { Button, Form, Input, Table } from 'antd'

interface Device extends BaseRecord {
  id: string
  name: string
  notes: string | null
}

/** Devices that are offline, with a form for a note on the first of them. */
export function OfflineDevicesPage() {
  const { tableProps, result } = useTable<Device>({
    resource: 'devices',
    filters: { permanent: [{ field: 'status', operator: 'eq', value: 'offline' }] },
    sorters: { initial: [{ field: 'name_key', order: 'asc' }] },
    meta: { select: 'id,name,notes' },
    syncWithLocation: false,
  })
  const first = result.data[0]
  return (
    <>
      <Table
        dataSource={tableProps.dataSource}
        loading={tableProps.loading}
        pagination={tableProps.pagination}
        onChange={tableProps.onChange}
        rowKey="id"
      >
        <Table.Column<Device> title="Name" dataIndex="name" />
        <Table.Column<Device> title="Notes" dataIndex="notes" />
      </Table>
      <CanAccess resource="devices" action="edit" fallback={<p>Your role does not edit devices.</p>}>
        {first ? <NoteForm key={first.id} device={first} /> : null}
      </CanAccess>
    </>
  )
}

function NoteForm({ device }: { device: Device }) {
  const { onFinish, formLoading } = useForm<Device, HttpError, { notes: string }>({
    resource: 'devices',
    action: 'edit',
    id: device.id,
    redirect: false,
    queryOptions: { enabled: false },
  })
  return (
    <Form<{ notes: string }>
      initialValues={{ notes: device.notes ?? '' }}
      onFinish={(values) => void onFinish(values)}
    >
      <Form.Item label={`Note on ${device.name}`} name="notes">
        <Input />
      </Form.Item>
      <Button htmlType="submit" loading={formLoading}>
        Save
      </Button>
    </Form>
  )
}
