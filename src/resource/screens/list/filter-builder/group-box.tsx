import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button, Segmented } from 'antd'
import { useTranslation } from 'react-i18next'
import { MAX_DEPTH } from '@/resource/request/filter/where'
import { type BuilderParts, ConditionLine } from '@/resource/screens/list/filter-builder/condition-line'
import type { DraftGroup } from '@/resource/screens/list/filter-builder/draft'
import { NodeHandle, NodeTools } from '@/resource/screens/list/filter-builder/node-tools'
import { addId } from '@/resource/screens/list/filter-builder/use-draft'

interface GroupBoxProps extends BuilderParts {
  node: DraftGroup
  /** Empty for the outermost. */
  place: string
  depth: number
}

export function GroupBox({ node, place, depth, ...parts }: GroupBoxProps) {
  const { actions, canAdd } = parts
  const { t } = useTranslation('filters')
  const isOuter = place === ''
  const what = isOuter ? t('groupOuter') : t('group', { place })
  const inner = (index: number) => (isOuter ? String(index + 1) : `${place}.${index + 1}`)
  const items = (
    <>
      {node.items.length === 0 ? (
        <p className="k-where-empty">{isOuter ? parts.emptyText : t('emptyGroup')}</p>
      ) : (
        <ol className="k-where-items" aria-label={what}>
          {node.items.map((item, index) =>
            item.kind === 'group' ? (
              <GroupBox key={item.id} {...parts} node={item} place={inner(index)} depth={depth + 1} />
            ) : (
              <ConditionLine key={item.id} {...parts} node={item} place={inner(index)} />
            ),
          )}
        </ol>
      )}
      <span className="k-where-adds">
        <Button
          id={addId(node.id)}
          size="small"
          icon={<PlusOutlined aria-hidden="true" />}
          aria-label={isOuter ? undefined : t('addConditionTo', { place })}
          disabled={!canAdd}
          onClick={() => actions.addCondition(node.id)}
        >
          {t('addCondition')}
        </Button>
        {depth < MAX_DEPTH ? (
          <Button
            size="small"
            icon={<PlusOutlined aria-hidden="true" />}
            aria-label={isOuter ? undefined : t('addGroupTo', { place })}
            disabled={!canAdd}
            onClick={() => actions.addGroup(node.id)}
          >
            {t('addGroup')}
          </Button>
        ) : null}
      </span>
    </>
  )
  const join = (
    <Segmented<DraftGroup['join']>
      aria-label={isOuter ? t('joinOuter') : t('join', { place })}
      value={node.join}
      onChange={(next) => actions.join(node.id, next)}
      options={[
        { value: '_and', label: t('all') },
        { value: '_or', label: t('any') },
      ]}
    />
  )
  if (isOuter)
    return (
      <div className="k-where-group">
        <span className="k-where-head">{join}</span>
        {items}
      </div>
    )
  return (
    <li
      className="k-where-group"
      data-where-node={node.id}
      data-dragged={parts.dragged === node.id}
      aria-label={what}
    >
      <span className="k-where-head">
        <NodeHandle id={node.id} what={what} actions={actions} onGrab={parts.onGrab} />
        {join}
        <NodeTools id={node.id} what={what} canAdd={canAdd} actions={actions} />
      </span>
      {items}
    </li>
  )
}
