import SortAscendingOutlined from '@ant-design/icons/es/icons/SortAscendingOutlined'
import { Button, Dropdown } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Definition } from '@/resource/definition/definition.generated'
import { type ListSort, sortFurtherBy } from '@/resource/screens/list/list-state'
import type { ResourceWords } from '@/resource/words'

interface SortMenuProps {
  definition: Definition
  words: ResourceWords
  sort: readonly ListSort[]
  /** Whether the sort is the user's and not the list's own. */
  isChosen: boolean
  onSort: (sort: ListSort[]) => void
}

const DEFAULT = 'default:'

/** Sorting by several columns without a Shift key, and by columns that the list does not show. */
export function SortMenu({ definition, words, sort, isChosen, onSort }: SortMenuProps) {
  const { t } = useTranslation('engine')
  const [isOpen, setOpen] = useState(false)
  const fields = Object.keys(definition.fields).filter((name) => definition.fields[name]?.sort)
  if (fields.length < 2) return null
  const label = (name: string) => {
    const place = sort.findIndex(({ field }) => field === name)
    if (place === -1) return words.field(name)
    const key = sort[place]?.descending ? 'list.sortDescending' : 'list.sortAscending'
    return t(key, { place: place + 1, field: words.field(name) })
  }
  const items = () => [
    ...fields.map((name) => ({ key: name, label: label(name) })),
    { type: 'divider' as const },
    { key: DEFAULT, label: t('list.sortDefault'), disabled: !isChosen },
  ]
  return (
    <Dropdown
      trigger={['click']}
      open={isOpen}
      // One press after the other builds the order: a choice leaves the menu open.
      onOpenChange={(next, { source }) => {
        if (source === 'trigger') setOpen(next)
      }}
      menu={{
        items: isOpen ? items() : [],
        selectedKeys: sort.map(({ field }) => field),
        onClick: ({ key }) => onSort(key === DEFAULT ? [] : sortFurtherBy(sort, key)),
      }}
    >
      <Button icon={<SortAscendingOutlined aria-hidden="true" />} aria-haspopup="menu">
        {sort.length > 1 ? `${t('list.sort')} (${sort.length})` : t('list.sort')}
      </Button>
    </Dropdown>
  )
}
