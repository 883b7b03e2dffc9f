import CloseOutlined from '@ant-design/icons/es/icons/CloseOutlined'
import { Button } from 'antd'
import { type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Definition } from '@/resource/language/definition.generated'
import type { ResourceWords } from '@/resource/language/words'
import { useColumnWord } from '@/resource/request/query/columns'
import type { ListState } from '@/resource/request/query/list-state'
import { FilterValue } from '@/resource/screens/list/filter-value'
import { lazyPart } from '@/ui/load-chunk'
import { useScrollEdges } from '@/ui/scroll-edges'

const WhereChip = lazyPart(() =>
  import('@/resource/screens/list/filter-builder/where-chip').then((module) => ({
    default: module.WhereChip,
  })),
)
const BrokenWhere = lazyPart(() =>
  import('@/resource/screens/list/filter-builder/broken-where').then((module) => ({
    default: module.BrokenWhere,
  })),
)

interface FilterChipsProps {
  definition: Definition
  words: ResourceWords
  state: ListState
  /** Follows the chips. */
  tools: ReactNode
  onBuild: () => void
  onChange: (change: Partial<ListState>) => void
}

/** The filters in use, each removed by one press. They share one line, whose height never changes. */
export function FilterChips({ definition, words, state, tools, onBuild, onChange }: FilterChipsProps) {
  const { t } = useTranslation('engine')
  const word = useColumnWord(definition, words)
  const { filters, where, badWhere } = state
  const [line, setLine] = useState<HTMLElement | null>(null)
  useScrollEdges(line)
  const remove = (name: string) => {
    const { [name]: _gone, ...rest } = filters
    onChange({ filters: rest })
  }
  const isNarrowed = where !== null || Object.keys(filters).length > 0
  return (
    <>
      {badWhere ? (
        <Suspense fallback={null}>
          <BrokenWhere onDrop={() => onChange({ badWhere: null })} />
        </Suspense>
      ) : null}
      {isNarrowed ? (
        <div className="k-chips">
          <ul ref={setLine} className="k-chips-line k-fading" aria-label={t('list.activeFilters')}>
            {Object.entries(filters).map(([name, value]) => (
              <li key={name} className="k-chip">
                <span className="k-chip-field">{word(name)}</span>
                <FilterValue definition={definition} name={name} value={value} />
                <button
                  type="button"
                  className="k-chip-remove"
                  aria-label={t('list.removeFilter', { filter: word(name) })}
                  onClick={() => remove(name)}
                >
                  <CloseOutlined aria-hidden="true" />
                </button>
              </li>
            ))}
            {where ? (
              <Suspense fallback={null}>
                <WhereChip
                  definition={definition}
                  words={words}
                  where={where}
                  onOpen={onBuild}
                  onRemove={() => onChange({ where: null })}
                />
              </Suspense>
            ) : null}
          </ul>
          <Button
            type="link"
            size="small"
            onClick={() => onChange({ filters: {}, where: null, badWhere: null })}
          >
            {t('list.clearFilters')}
          </Button>
          {tools}
        </div>
      ) : null}
    </>
  )
}
