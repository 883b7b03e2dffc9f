import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import {
  copyOf,
  type DraftGroup,
  type DraftNode,
  findNode,
  fromWhere,
  newCondition,
  newGroup,
  parentOf,
  replaceNode,
  updateGroup,
} from '@/resource/screens/list/filter-builder/draft'
import { dropNode, stepNode } from '@/resource/screens/list/filter-builder/move-node'

export interface DraftActions {
  update: (id: string, change: Partial<DraftNode>) => void
  join: (id: string, join: DraftGroup['join']) => void
  addCondition: (groupId: string) => void
  addGroup: (groupId: string) => void
  duplicate: (id: string) => void
  remove: (id: string) => void
  step: (id: string, by: -1 | 1) => void
  drop: (id: string, targetId: string, after: boolean) => void
}

/** A place as people count: the second of the first group is `1.2`; the outermost group has none. */
export function placeOf(root: DraftGroup, id: string): string {
  const parent = parentOf(root, id)
  if (!parent) return ''
  const own = parent.items.findIndex((item) => item.id === id) + 1
  const outer = placeOf(root, parent.id)
  return outer === '' ? String(own) : `${outer}.${own}`
}

export const handleId = (id: string) => `k-where-${id}-move`
export const fieldId = (id: string) => `k-where-${id}-field`
export const addId = (id: string) => `k-where-${id}-add`

/** The filter as it is being built. The focus follows what was added or moved: the page never loses it. */
export function useDraft(definition: Definition, where: Filter | null, firstField: string) {
  const { t } = useTranslation('filters')
  const [root, setRoot] = useState(() => {
    const given = fromWhere(definition, where)
    return given.items.length > 0 ? given : newGroup([newCondition(definition, firstField)])
  })
  const [said, setSaid] = useState('')
  const focus = useRef<string | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the filter changed
  useEffect(() => {
    if (focus.current) document.getElementById(focus.current)?.focus()
    focus.current = null
  }, [root])

  const append = (groupId: string, node: DraftNode, target: string) => {
    focus.current = target
    setRoot((before) => {
      const group = findNode(before, groupId)
      return group?.kind === 'group'
        ? updateGroup(before, groupId, { items: [...group.items, node] })
        : before
    })
  }
  const actions: DraftActions = {
    update: (id, change) =>
      setRoot((before) => replaceNode(before, id, (node) => [{ ...node, ...change } as DraftNode])),
    join: (id, join) => setRoot((before) => updateGroup(before, id, { join })),
    addCondition: (groupId) => {
      const node = newCondition(definition, firstField)
      append(groupId, node, fieldId(node.id))
    },
    addGroup: (groupId) => {
      const inner = newCondition(definition, firstField)
      append(groupId, newGroup([inner], '_or'), fieldId(inner.id))
    },
    duplicate: (id) =>
      setRoot((before) =>
        replaceNode(before, id, (node) => {
          const copy = copyOf(node)
          focus.current = handleId(copy.id)
          return [node, copy]
        }),
      ),
    remove: (id) => {
      focus.current = addId(parentOf(root, id)?.id ?? root.id)
      setSaid(t('removed'))
      setRoot(replaceNode(root, id, () => []))
    },
    step: (id, by) => {
      const next = stepNode(root, id, by)
      const kind = findNode(next, id)?.kind
      if (next === root || !kind) return
      focus.current = handleId(id)
      setRoot(next)
      setSaid(t('moved', { what: t(kind, { place: placeOf(next, id) }) }))
    },
    drop: (id, targetId, after) => setRoot((before) => dropNode(before, id, targetId, after)),
  }
  return { root, said, actions, clear: () => setRoot(newGroup()) }
}
