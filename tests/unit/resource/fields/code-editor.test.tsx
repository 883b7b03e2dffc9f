// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CodeEditor } from '@/resource/fields/code/code-editor'
import { render } from '../../../support/render'

afterEach(cleanup)

const open = (value: string, readOnly = false) => {
  const onChange = vi.fn()
  return render(
    <CodeEditor label="Script" value={value} language="plain" readOnly={readOnly} onChange={onChange} />,
  ).then(({ user }) => ({ user, onChange }))
}

describe('the code editor', () => {
  it('removes hidden characters when asked', async () => {
    const { user, onChange } = await open('# \u202Eroot\nid')
    await user.click(await screen.findByRole('button', { name: 'Remove hidden characters' }))
    expect(onChange).toHaveBeenCalledWith('# root\nid')
  })

  it('offers that only for a text that has some and may be changed', async () => {
    await open('# root 👩‍💻')
    expect(screen.queryByRole('button')).toBeNull()
    cleanup()
    await open('# \u202Eroot', true)
    expect(screen.queryByRole('button')).toBeNull()
  })

  it('shows a lone carriage return as a mark inside its line, and breaks the lines of Windows', async () => {
    const lines = () =>
      [...screen.getByLabelText('Script').querySelectorAll('.cm-line')].map((line) => line.textContent)
    await open('# lab\r[ -e x ] || exit\r\nid', true)
    expect(lines()).toEqual(['# labU+000D[ -e x ] || exit', 'id'])
    cleanup()
    await open('a\rb\nc', true)
    expect(lines()).toEqual(['aU+000Db', 'c'])
  })
})
