import { Table, type TableProps } from 'antd'

/**
 * A small table for what the engine's list does not fit: rows of several resources, files that are being uploaded, a
 * choice in a dialog. Pages and order are the database's; the rows given are the rows shown.
 */
export function DataTable<Row extends object>({ pagination, ...props }: TableProps<Row>) {
  const { current, pageSize, total, onChange } = pagination || {}
  return (
    <Table<Row>
      size="middle"
      scroll={{ x: 'max-content' }}
      {...props}
      // The previous page stays until the next one has loaded.
      loading={false}
      pagination={
        total !== undefined && {
          ...(current === undefined ? {} : { current }),
          ...(pageSize === undefined ? {} : { pageSize }),
          ...(onChange === undefined ? {} : { onChange }),
          total,
          showSizeChanger: false,
          hideOnSinglePage: true,
        }
      }
    />
  )
}
