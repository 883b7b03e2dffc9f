import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { MONO_FAMILY } from '@/ui/tokens'

/** Colours are the page's own variables, so that the editor follows light and dark without being told. */
export const codeTheme = EditorView.theme({
  '&': { color: 'var(--k-text)', backgroundColor: 'var(--k-surface)', fontSize: '13px' },
  '.cm-content': { fontFamily: MONO_FAMILY, caretColor: 'var(--k-text)', padding: '8px 0' },
  '.cm-scroller': { fontFamily: MONO_FAMILY, lineHeight: '20px', overflow: 'auto' },
  '.cm-cursor': { borderLeftColor: 'var(--k-text)' },
  '.cm-gutters': {
    color: 'var(--k-text-faint)',
    backgroundColor: 'var(--k-sunken)',
    borderRight: '1px solid var(--k-line)',
  },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '.cm-activeLineGutter': { color: 'var(--k-text)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--k-primary-soft)',
  },
  '.cm-matchingBracket': { outline: '1px solid var(--k-line-strong)' },
})

export const codeColours = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.controlKeyword, tags.operatorKeyword],
    color: 'var(--k-info)',
    fontWeight: '600',
  },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--k-success)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--k-warning)' },
  { tag: [tags.comment], color: 'var(--k-text-faint)', fontStyle: 'italic' },
  { tag: [tags.function(tags.variableName), tags.definition(tags.variableName)], color: 'var(--k-link)' },
  { tag: [tags.standard(tags.variableName), tags.className, tags.typeName], color: 'var(--k-error)' },
])
