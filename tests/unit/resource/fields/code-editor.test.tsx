// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { CodeEditor } from '@/resource/fields/code/code-editor'

afterEach(cleanup)

describe('the code editor', () => {
  it('shows a lone carriage return as a mark inside its line, and breaks the lines of Windows', () => {
    const text = '# lab\r[ -e x ] || exit\r\nid'
    const { rerender } = render(<CodeEditor label="Script" value={text} language="plain" readOnly />)
    const lines = () =>
      [...screen.getByLabelText('Script').querySelectorAll('.cm-line')].map((line) => line.textContent)
    expect(lines()).toEqual(['# labU+000D[ -e x ] || exit', 'id'])
    rerender(<CodeEditor label="Script" value={'a\rb\nc'} language="plain" readOnly />)
    expect(lines()).toEqual(['aU+000Db', 'c'])
  })
})
