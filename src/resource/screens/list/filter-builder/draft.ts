import type { Condition, Definition, Filter } from '@/resource/language/definition.generated'
import {
  fromCondition,
  type Operator,
  operatorsOf,
  toCondition,
} from '@/resource/screens/list/filter-builder/operators'

/** A filter while somebody builds it: with holes, and with groups that have nothing in them yet. */
export interface DraftCondition {
  kind: 'condition'
  id: string
  field: string
  operator: Operator
  /** As typed or chosen; what they mean is the field's and the operator's. */
  values: readonly string[]
}
export interface DraftGroup {
  kind: 'group'
  id: string
  join: '_and' | '_or'
  items: readonly DraftNode[]
}
export type DraftNode = DraftCondition | DraftGroup

let last = 0
function newId(): string {
  last += 1
  return `n${last}`
}

export function newGroup(items: readonly DraftNode[] = [], join: DraftGroup['join'] = '_and'): DraftGroup {
  return { kind: 'group', id: newId(), join, items }
}

export function newCondition(definition: Definition, name: string): DraftCondition {
  const field = definition.fields[name]
  const [operator = 'is'] = field ? operatorsOf(field) : []
  return { kind: 'condition', id: newId(), field: name, operator, values: [] }
}

function nodeOf(definition: Definition, filter: Filter): DraftNode {
  const [[key, value] = ['', undefined]] = Object.entries(filter)
  if (key === '_and' || key === '_or')
    return newGroup(
      ((value ?? []) as Filter[]).map((inner) => nodeOf(definition, inner)),
      key,
    )
  const field = definition.fields[key]
  const condition = newCondition(definition, key)
  return field ? { ...condition, ...fromCondition(field, value as Condition) } : condition
}

/** A checked filter as a group to build on. */
export function fromWhere(definition: Definition, where: Filter | null): DraftGroup {
  if (!where) return newGroup()
  const node = nodeOf(definition, where)
  return node.kind === 'group' ? node : newGroup([node])
}

export function conditionsOf(node: DraftNode): DraftCondition[] {
  return node.kind === 'group' ? node.items.flatMap(conditionsOf) : [node]
}

export interface Built {
  where: Filter | null
  /** The conditions that still miss something, by their ids: they are left out. */
  missing: readonly string[]
}

export function toWhere(definition: Definition, root: DraftGroup): Built {
  const missing: string[] = []
  const write = (node: DraftNode): Filter | null => {
    if (node.kind === 'condition') {
      const field = definition.fields[node.field]
      const condition = field ? toCondition(field, node.operator, node.values) : null
      if (condition) return { [node.field]: condition }
      missing.push(node.id)
      return null
    }
    const items = node.items.map(write).filter((item): item is Filter => item !== null)
    // A group of one says what the one says.
    return items.length > 1 ? { [node.join]: items } : (items[0] ?? null)
  }
  return { where: write(root), missing }
}

/** The group that holds the node; null for the outermost and for what is gone. */
export function parentOf(root: DraftGroup, id: string): DraftGroup | null {
  for (const item of root.items) {
    if (item.id === id) return root
    const found = item.kind === 'group' ? parentOf(item, id) : null
    if (found) return found
  }
  return null
}

export function findNode(root: DraftNode, id: string): DraftNode | null {
  if (root.id === id) return root
  if (root.kind === 'condition') return null
  for (const item of root.items) {
    const found = findNode(item, id)
    if (found) return found
  }
  return null
}

/** How many groups stand around the inside of this one, itself counted. */
export function depthOf(root: DraftGroup, id: string): number {
  if (root.id === id) return 1
  const parent = parentOf(root, id)
  return parent ? depthOf(root, parent.id) + 1 : 1
}

export function heightOf(node: DraftNode): number {
  return node.kind === 'condition' ? 0 : 1 + Math.max(0, ...node.items.map(heightOf))
}

/** Replaces a node; by none, it is taken out. */
export function replaceNode(
  root: DraftGroup,
  id: string,
  change: (node: DraftNode) => readonly DraftNode[],
): DraftGroup {
  return {
    ...root,
    items: root.items.flatMap((item) => {
      if (item.id === id) return change(item)
      return item.kind === 'group' ? [replaceNode(item, id, change)] : [item]
    }),
  }
}

export function updateGroup(root: DraftGroup, id: string, change: Partial<DraftGroup>): DraftGroup {
  if (root.id === id) return { ...root, ...change }
  return replaceNode(root, id, (node) => (node.kind === 'group' ? [{ ...node, ...change }] : [node]))
}

export function copyOf(node: DraftNode): DraftNode {
  return node.kind === 'group'
    ? { ...node, id: newId(), items: node.items.map(copyOf) }
    : { ...node, id: newId() }
}
