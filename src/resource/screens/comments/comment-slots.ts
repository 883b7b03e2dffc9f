import { type ComponentType, createContext, useContext } from 'react'
import type { Row } from '@/data/rows'
import type { Policy } from '@/resource/language/definition.generated'

/** An entry of a menu of the box. */
export interface BoxMenuItem {
  key: string
  label: string
  /** A second, softer text. */
  hint?: string
  /** Takes the place of the trigger and the words after it; a function reads the text when it is picked. */
  insert: string | (() => Promise<string>)
  /** A person, so that `insert` is sent as a mention. */
  person?: string
}

export interface MenuSourceProps {
  /** The record of the thread. */
  record: Row
  kind: string
  words: string
  /** Tells the entries for these words. */
  onItems: (items: readonly BoxMenuItem[]) => void
}

/** A character in the box opens a menu: `@` people, `/` other texts to insert. */
export type BoxMenu =
  | { trigger: '@'; find: (words: string) => Promise<readonly BoxMenuItem[]> }
  | { trigger: '/'; sources: readonly MenuSource[]; record: Row; kind: string }

/** Texts that `/` inserts. The component renders nothing, and is mounted only while the menu is open. */
export interface MenuSource {
  key: string
  /** The resources in whose threads it is offered. */
  resources: readonly string[]
  /** The permission without which it is not offered. */
  policy: Policy
  /** A part of its texts that had no value and should not be sent as it is. */
  unfilled?: RegExp
  Source: ComponentType<MenuSourceProps>
}

/** Other parts of the console put these into the thread of a record. */
export interface CommentSlots {
  sources?: readonly MenuSource[]
}

export const CommentSlotsContext = createContext<CommentSlots>({})

export const useCommentSlots = (): CommentSlots => useContext(CommentSlotsContext)
