// @vitest-environment happy-dom
import { render } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { MarkdownText } from '@/resource/fields/markdown/markdown-text'

const htmlOf = (text: string) => render(<MarkdownText text={text} />).container.innerHTML
const linesOf = (text: string) => (htmlOf(text).match(/<br>/g) ?? []).length

describe('rendered Markdown', () => {
  it('shows a line break that was typed', () => {
    expect(htmlOf('Please restart the VPN client.\nThen tell us.')).toContain(
      'Please restart the VPN client.<br>Then tell us.',
    )
  })

  it('shows the break beside emphasis, links and hard breaks once', () => {
    expect(linesOf('First **line**\n*second* line\n[third](https://example.com)\nfourth')).toBe(3)
    expect(linesOf('hard  \nbreak')).toBe(1)
    expect(linesOf('hard\\\nbreak')).toBe(1)
    expect(linesOf('Windows\r\nline')).toBe(1)
  })

  it('adds no break between blocks, list entries, cells or the lines of code', () => {
    expect(linesOf('First\n\nSecond')).toBe(0)
    expect(linesOf('- one\n- two\n\n1. three\n2. four\n')).toBe(0)
    expect(linesOf('| a | b |\n|-|-|\n| 1 | 2 |\n')).toBe(0)
    expect(linesOf('```\none\ntwo\n```')).toBe(0)
    expect(linesOf('# Title\nText\n\n> quoted\n')).toBe(0)
  })

  it('shows a break within a list entry and a quotation', () => {
    expect(linesOf('- one\n  more\n- two')).toBe(1)
    expect(linesOf('> one\n> two')).toBe(1)
  })
})
