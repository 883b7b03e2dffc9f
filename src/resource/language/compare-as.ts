/** How a field's values are ordered and when two are the same; each field kind names its own. */
export type CompareAs = 'text' | 'number' | 'boolean' | 'date' | 'instant'
