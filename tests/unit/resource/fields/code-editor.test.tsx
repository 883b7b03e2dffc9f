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
})
