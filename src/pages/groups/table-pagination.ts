import type { TablePaginationConfig, TableProps } from 'antd'

/** The pages of Refine's `useTable`, without its links, which are for addresses that it keeps itself. */
export function tablePagination(pagination: TableProps['pagination']): TablePaginationConfig {
  const { current, pageSize, total } = pagination || {}
  return {
    ...(current === undefined ? {} : { current }),
    ...(pageSize === undefined ? {} : { pageSize }),
    ...(total === undefined ? {} : { total }),
    showSizeChanger: false,
    hideOnSinglePage: true,
  }
}
