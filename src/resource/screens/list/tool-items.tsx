import DeleteOutlined from '@ant-design/icons/es/icons/DeleteOutlined'
import DownloadOutlined from '@ant-design/icons/es/icons/DownloadOutlined'
import FormOutlined from '@ant-design/icons/es/icons/FormOutlined'
import SettingOutlined from '@ant-design/icons/es/icons/SettingOutlined'
import UploadOutlined from '@ant-design/icons/es/icons/UploadOutlined'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { Definition } from '@/resource/language/definition.generated'
import type { ResourceWords } from '@/resource/language/words'
import {
  changeList,
  type Layout,
  type ListSort,
  layoutsOf,
  sortFurtherBy,
} from '@/resource/request/query/list-state'
import type { Density } from '@/resource/request/query/saved-views'
import type { ListSetup } from '@/resource/request/query/use-list-setup'
import { type MenuItem, useGuardedItem } from '@/resource/screens/actions/use-guarded-item'
import type { InlineEdit } from '@/resource/tools/inline/use-inline-edit'

export type ToolDialog = 'columns' | 'order' | 'export' | 'import'

export interface ListTools {
  definition: Definition
  words: ResourceWords
  setup: ListSetup
  sort: readonly ListSort[]
  inline: InlineEdit
  /** Whether the list is a page, with columns and imports, and not part of a record. */
  isWhole: boolean
  canImport: boolean
  onSort: (sort: ListSort[]) => void
  onDialog: (dialog: ToolDialog) => void
}

interface ToolItems {
  items: MenuItem[]
  selected: string[]
  press: (key: string) => void
}

/** These keep the menu open, so that several presses build an order. */
export function staysOpen(key: string): boolean {
  return /^(sort|density)/.test(key)
}

const withIcon = (icon: ReactNode, items: MenuItem[]): MenuItem[] =>
  items.map((item) => ({ icon, ...item }) as MenuItem)

const DENSITIES: readonly Density[] = ['comfortable', 'compact']

/** The display of the list: columns, row height, sorting, editing in cells. */
export function useDisplayItems({ definition, words, setup, sort, inline, ...tools }: ListTools): ToolItems {
  const { t } = useTranslation('engine')
  const { t: views } = useTranslation('views')
  const guard = useGuardedItem()
  const fields = Object.keys(definition.fields).filter((name) => definition.fields[name]?.sort)
  const sortLabel = (name: string) => {
    const place = sort.findIndex(({ field }) => field === name)
    if (place === -1) return words.field(name)
    const key = sort[place]?.descending ? 'list.sortDescending' : 'list.sortAscending'
    return t(key, { place: place + 1, field: words.field(name) })
  }
  const items: MenuItem[] = []
  const layouts = tools.isWhole ? layoutsOf(definition) : []
  if (layouts.length > 1)
    items.push({
      key: 'layout',
      type: 'group',
      label: t('layout.title'),
      children: layouts.map((layout) => ({ key: `layout:${layout}`, label: t(`layout.${layout}`) })),
    })
  const isTable = setup.state.layout === 'table'
  if (tools.isWhole && isTable)
    items.push({ key: 'columns', icon: <SettingOutlined aria-hidden="true" />, label: t('list.columns') })
  if (inline.isOffered && isTable)
    items.push(
      ...withIcon(
        <FormOutlined aria-hidden="true" />,
        guard({
          key: 'cells',
          label: t('list.editCells'),
          object: definition.name,
          verb: 'edit',
          onClick: () => undefined,
        }),
      ),
    )
  if (tools.isWhole && isTable)
    items.push({
      key: 'density',
      type: 'group',
      label: views('columns.density'),
      children: DENSITIES.map((density) => ({
        key: `density:${density}`,
        label: views(`columns.${density}`),
      })),
    })
  if (fields.length > 1 && setup.state.layout !== 'calendar')
    items.push({
      key: 'sort',
      type: 'group',
      label: t('list.sort'),
      children: [
        ...fields.map((name) => ({ key: `sort:${name}`, label: sortLabel(name) })),
        { key: 'sort-default', label: t('list.sortDefault'), disabled: setup.state.sort.length === 0 },
      ],
    })
  return {
    items,
    selected: [
      `layout:${setup.state.layout}`,
      ...(tools.isWhole ? [`density:${setup.density}`] : []),
      ...(inline.isOn ? ['cells'] : []),
      ...sort.map(({ field }) => `sort:${field}`),
    ],
    press: (key) => {
      const [kind, name = ''] = key.split(':')
      if (kind === 'columns') tools.onDialog(kind)
      else if (kind === 'cells') inline.toggle()
      else if (kind === 'layout') setup.setState(changeList(setup.state, { layout: name as Layout }))
      else if (kind === 'density') setup.setDensity(name as Density)
      else tools.onSort(kind === 'sort' ? sortFurtherBy(sort, name) : [])
    },
  }
}

/** Records from a file, the list as one, and the records that were deleted. */
export function useFileItems({ definition, isWhole, canImport, onDialog }: ListTools): ToolItems {
  const navigate = useNavigate()
  const { t } = useTranslation('engine')
  const { t: trash } = useTranslation('trash')
  const guard = useGuardedItem()
  const item = (key: 'export' | 'import', icon: ReactNode) =>
    withIcon(
      icon,
      guard({
        key,
        label: t(`list.${key}`),
        object: definition.name,
        verb: key,
        onClick: () => undefined,
      }),
    )
  return {
    items: [
      ...(canImport ? item('import', <UploadOutlined aria-hidden="true" />) : []),
      ...item('export', <DownloadOutlined aria-hidden="true" />),
      ...(isWhole && definition.trash
        ? guard({
            key: 'trash',
            label: trash('title'),
            icon: <DeleteOutlined aria-hidden="true" />,
            object: definition.name,
            verb: 'delete',
            onClick: () => undefined,
          })
        : []),
    ],
    selected: [],
    press: (key) => (key === 'trash' ? navigate('?trash=1') : onDialog(key as ToolDialog)),
  }
}
