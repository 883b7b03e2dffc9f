import { MAX_DEPTH } from '@/resource/request/filter/where'
import {
  type DraftGroup,
  type DraftNode,
  depthOf,
  findNode,
  heightOf,
  parentOf,
  replaceNode,
  updateGroup,
} from '@/resource/screens/list/filter-builder/draft'

function fitsInto(root: DraftGroup, group: DraftGroup, node: DraftNode): boolean {
  return depthOf(root, group.id) + heightOf(node) <= MAX_DEPTH
}

/**
 * Moves a node a step up or down through the whole tree: past a condition, into the next group where it fits, and
 * out of a group at its end.
 */
export function stepNode(root: DraftGroup, id: string, by: -1 | 1): DraftGroup {
  const parent = parentOf(root, id)
  const node = findNode(root, id)
  if (!parent || !node) return root
  const index = parent.items.indexOf(node)
  const beside = parent.items[index + by]
  const without = replaceNode(root, id, () => [])
  if (beside?.kind === 'group' && fitsInto(root, beside, node)) {
    const items = by === 1 ? [node, ...beside.items] : [...beside.items, node]
    return updateGroup(without, beside.id, { items })
  }
  const past = beside ?? parent
  if (past.id === root.id) return root
  return replaceNode(without, past.id, (other) => (by === 1 ? [other, node] : [node, other]))
}

/** Before or after another node, where a pointer holds it; an empty group takes it in. */
export function dropNode(root: DraftGroup, id: string, targetId: string, after: boolean): DraftGroup {
  const node = findNode(root, id)
  const target = findNode(root, targetId)
  if (!node || !target || findNode(node, targetId)) return root
  const without = replaceNode(root, id, () => [])
  if (target.kind === 'group' && target.items.length === 0)
    return fitsInto(root, target, node) ? updateGroup(without, targetId, { items: [node] }) : root
  const parent = parentOf(root, targetId)
  if (!parent || !fitsInto(root, parent, node)) return root
  return replaceNode(without, targetId, (other) => (after ? [other, node] : [node, other]))
}
