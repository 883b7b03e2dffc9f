import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState, type Extension, Text } from '@codemirror/state'
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { Button } from 'antd'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { CodeLanguage } from '@/resource/fields/code/kind'
import { codePointName, HIDDEN_CHARACTERS, linesOf, longBlanks, withoutHidden } from '@/ui/hidden-characters'
import { loadChunk } from '@/ui/load-chunk'
import { MONO_FAMILY } from '@/ui/tokens'
import '@/ui/visible-text.css'

/** Colors are the page's own variables, so that the editor follows light and dark without being told. */
const codeTheme = EditorView.theme({
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

/** Shows what hides in code: characters that nobody sees, and blanks that push the rest of a line away. */
const hiddenMarks: Extension = [
  highlightSpecialChars({
    specialChars: HIDDEN_CHARACTERS,
    render: (code, description) => {
      const mark = document.createElement('mark')
      mark.className = 'k-hidden-character'
      mark.textContent = codePointName(String.fromCodePoint(code))
      mark.title = description ?? ''
      return mark
    },
  }),
  ViewPlugin.define(
    (view) => {
      const decorator = new MatchDecorator({
        regexp: longBlanks(),
        decoration: Decoration.mark({ class: 'k-blank-run' }),
      })
      return {
        decorations: decorator.createDeco(view),
        update(update) {
          this.decorations = decorator.updateDeco(update, this.decorations)
        },
      }
    },
    { decorations: (plugin) => plugin.decorations },
  ),
  EditorView.lineWrapping,
]

const codeColors = HighlightStyle.define([
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

/** CodeMirror itself would make a line break of a lone carriage return. */
const documentOf = (value: string): Text => Text.of(linesOf(value))

/** Each language is a chunk of its own: a shell script does not load Python's grammar. */
async function languageExtension(language: CodeLanguage): Promise<Extension> {
  switch (language) {
    case 'python': {
      const { python } = await import('@codemirror/lang-python')
      return python()
    }
    case 'shell': {
      const [{ StreamLanguage }, { shell }] = await Promise.all([
        import('@codemirror/language'),
        import('@codemirror/legacy-modes/mode/shell'),
      ])
      return StreamLanguage.define(shell)
    }
    case 'powershell': {
      const [{ StreamLanguage }, { powerShell }] = await Promise.all([
        import('@codemirror/language'),
        import('@codemirror/legacy-modes/mode/powershell'),
      ])
      return StreamLanguage.define(powerShell)
    }
    case 'json': {
      const [{ StreamLanguage }, { json }] = await Promise.all([
        import('@codemirror/language'),
        import('@codemirror/legacy-modes/mode/javascript'),
      ])
      return StreamLanguage.define(json)
    }
    case 'plain':
      return []
  }
}

interface CodeEditorProps {
  id?: string
  label: string
  value: string
  language: CodeLanguage
  readOnly?: boolean
  isRequired?: boolean
  isInvalid?: boolean
  describedBy?: string
  onChange?: (value: string) => void
  onBlur?: () => void
}

function attributesOf(props: CodeEditorProps): Extension {
  // The text itself takes the focus, read-only too: what scrolls must be reachable by keyboard.
  const attributes: Record<string, string> = { 'aria-label': props.label, tabindex: '0' }
  if (props.id) attributes.id = props.id
  if (props.isRequired) attributes['aria-required'] = 'true'
  if (props.isInvalid) attributes['aria-invalid'] = 'true'
  if (props.describedBy) attributes['aria-describedby'] = props.describedBy
  if (props.readOnly) attributes['aria-readonly'] = 'true'
  return EditorView.contentAttributes.of(attributes)
}

function editing(readOnly: boolean): Extension {
  // Read-only text keeps the caret, so that it can be read and copied by keyboard.
  return [
    EditorState.readOnly.of(readOnly),
    readOnly ? [] : [highlightActiveLine(), highlightActiveLineGutter()],
  ]
}

/** CodeMirror under React: made once, told what changed. Escape, then Tab, leaves it by keyboard. */
export function CodeEditor(props: CodeEditorProps) {
  const { t } = useTranslation('engine')
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const parts = useRef({
    language: new Compartment(),
    mode: new Compartment(),
    attributes: new Compartment(),
  })
  const latest = useRef(props)
  useEffect(() => {
    latest.current = props
  })

  useEffect(() => {
    const parent = host.current
    if (!parent) return
    const { language, mode, attributes } = parts.current
    const first = latest.current
    const editor = new EditorView({
      parent,
      state: EditorState.create({
        doc: documentOf(first.value),
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          bracketMatching(),
          indentUnit.of('    '),
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          syntaxHighlighting(codeColors),
          codeTheme,
          hiddenMarks,
          language.of([]),
          mode.of(editing(first.readOnly === true)),
          attributes.of(attributesOf(first)),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange?.(update.state.doc.toString())
            if (update.focusChanged && !update.view.hasFocus) latest.current.onBlur?.()
          }),
        ],
      }),
    })
    view.current = editor
    return () => {
      editor.destroy()
      view.current = null
    }
  }, [])

  const { value, language, readOnly, id, label, isRequired, isInvalid, describedBy } = props
  useEffect(() => {
    const editor = view.current
    if (!editor || editor.state.doc.toString() === value) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: documentOf(value) } })
  }, [value])
  useEffect(() => {
    const { mode, attributes } = parts.current
    view.current?.dispatch({
      effects: [
        mode.reconfigure(editing(readOnly === true)),
        attributes.reconfigure(
          attributesOf({
            id,
            label,
            value: '',
            language: 'plain',
            readOnly,
            isRequired,
            isInvalid,
            describedBy,
          }),
        ),
      ],
    })
  }, [id, label, readOnly, isRequired, isInvalid, describedBy])
  useEffect(() => {
    let isCurrent = true
    void loadChunk(() => languageExtension(language)).then((extension) => {
      if (isCurrent) view.current?.dispatch({ effects: parts.current.language.reconfigure(extension) })
    })
    return () => {
      isCurrent = false
    }
  }, [language])

  const clean = readOnly ? value : withoutHidden(value)
  return (
    <>
      <div
        ref={host}
        className="k-code"
        data-readonly={readOnly === true}
        data-invalid={isInvalid === true}
      />
      {clean === value ? null : (
        <Button size="small" style={{ marginBlockStart: 8 }} onClick={() => props.onChange?.(clean)}>
          {t('code.removeHidden')}
        </Button>
      )}
    </>
  )
}
