import type { CatalogColumn, CatalogTable } from '../../supabase/embedded/catalog'

export const column = (name: string, type: string, more: Partial<CatalogColumn> = {}): CatalogColumn => ({
  name,
  type,
  sqlType: type,
  isRequired: false,
  expression: null,
  isGenerated: false,
  comment: null,
  canInsert: true,
  canUpdate: true,
  ...more,
})

/** A table of companies' rows that nothing is wrong with. */
export function tableOf(
  name: string,
  columns: CatalogColumn[],
  more: Partial<CatalogTable> = {},
): CatalogTable {
  return {
    name,
    isView: false,
    isInvoker: false,
    idOf: null,
    canSelect: true,
    canDelete: true,
    comment: null,
    hasRowSecurity: true,
    columns: [column('company_id', 'uuid', { isRequired: true }), column('version', 'int4'), ...columns],
    checks: [],
    exclusions: [],
    keys: [],
    indexes: [],
    policies: [{ name: `${name}_select_member`, command: 'select', text: '' }],
    ...more,
  }
}
