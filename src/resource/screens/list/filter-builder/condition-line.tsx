import type { PointerEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { Definition } from '@/resource/language/definition.generated'
import type { ResourceWords } from '@/resource/language/words'
import { filterStyle } from '@/resource/request/filter/from-url'
import { type DraftCondition, newCondition } from '@/resource/screens/list/filter-builder/draft'
import { NodeHandle, NodeTools } from '@/resource/screens/list/filter-builder/node-tools'
import { type Operator, operandOf, operatorsOf } from '@/resource/screens/list/filter-builder/operators'
import { type DraftActions, fieldId } from '@/resource/screens/list/filter-builder/use-draft'
import { ValueControl } from '@/resource/screens/list/filter-builder/value-control'
import { useFilterGroups } from '@/resource/screens/list/filter-groups'

/** The props that every part of the builder needs. */
export interface BuilderParts {
  definition: Definition
  words: ResourceWords
  fields: readonly string[]
  actions: DraftActions
  /** The text of the outermost group when it has no conditions. */
  emptyText: string
  /** Whether another condition may be added. */
  canAdd: boolean
  /** Conditions that were found unfinished when the filter was to be applied. */
  missing: readonly string[]
  dragged: string | null
  onGrab: (id: string, event: PointerEvent<HTMLElement>) => void
}

interface ConditionLineProps extends BuilderParts {
  node: DraftCondition
  place: string
}

export function ConditionLine({ node, place, ...parts }: ConditionLineProps) {
  const { definition, words, fields, actions } = parts
  const { t } = useTranslation('filters')
  const field = definition.fields[node.field]
  const what = t('condition', { place })
  const valueId = `${fieldId(node.id)}-value`
  const isMissing = parts.missing.includes(node.id)
  const handleField = (name: string) => {
    const { field: named, operator, values } = newCondition(definition, name)
    actions.update(node.id, { field: named, operator, values })
  }
  const handleOperator = (operator: Operator) => {
    // Values are kept where the new comparison takes the same operands.
    const isSame = operandOf(operator) === operandOf(node.operator)
    actions.update(node.id, { operator, values: isSame ? node.values : [] })
  }
  // A field that a link's filter names stays a choice, also where its reader finds nothing to choose from in it.
  const offered = fields.includes(node.field) ? fields : [...fields, node.field]
  const groups = useFilterGroups(definition, words, offered)
  if (!field) return null
  return (
    <li
      className="k-where-line"
      data-where-node={node.id}
      data-dragged={parts.dragged === node.id}
      aria-label={what}
    >
      <NodeHandle id={node.id} what={what} actions={actions} onGrab={parts.onGrab} />
      <span className="k-where-condition">
        <select
          id={fieldId(node.id)}
          className="k-where-select"
          aria-label={t('field', { place })}
          value={node.field}
          onChange={(event) => handleField(event.target.value)}
        >
          {groups.map(({ label, names }) => {
            const options = names.map((name) => (
              <option key={name} value={name}>
                {words.field(name)}
              </option>
            ))
            return label === null ? (
              options
            ) : (
              <optgroup key={label} label={label}>
                {options}
              </optgroup>
            )
          })}
        </select>
        <select
          className="k-where-select"
          aria-label={t('operator', { place })}
          value={node.operator}
          onChange={(event) => handleOperator(event.target.value as Operator)}
        >
          {operatorsOf(field).map((operator) => (
            <option key={operator} value={operator}>
              {t(`operators.${operator}`)}
            </option>
          ))}
        </select>
        <span className="k-where-value">
          <ValueControl
            key={`${node.field} ${filterStyle(field)}`}
            id={valueId}
            definition={definition}
            name={node.field}
            field={field}
            operator={node.operator}
            values={node.values}
            place={place}
            isMissing={isMissing}
            onChange={(values) => actions.update(node.id, { values })}
          />
          {isMissing ? (
            <span className="k-where-missing" role="alert">
              {t('missing')}
            </span>
          ) : null}
        </span>
      </span>
      <NodeTools id={node.id} what={what} canAdd={parts.canAdd} actions={actions} />
    </li>
  )
}
