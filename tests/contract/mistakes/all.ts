import { ACTIONS } from './actions'
import { CONDITIONS } from './conditions'
import { DATABASE } from './database'
import { FIELDS } from './fields'
import type { Mistake } from './mistake'
import { NAMES } from './names'
import { PLACES } from './places'
import { POLICIES } from './policies'
import { RELATIONS } from './relations'
import { SCREENS } from './screens'
import { SHAPES } from './shapes'
import { SYNTAX } from './syntax'
import { WORDS } from './words'

export { RIGHT } from './right'

export const MISTAKES: readonly Mistake[] = [...SYNTAX, ...SHAPES, ...NAMES, ...FIELDS, ...CONDITIONS, ...RELATIONS, ...SCREENS, ...PLACES, ...ACTIONS, ...WORDS, ...POLICIES, ...DATABASE]
