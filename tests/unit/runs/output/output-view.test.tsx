// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { OutputView } from '@/runs/output/output-view'
import { RunOutputView } from '@/runs/output/run-output'
import { fakeData, render } from '../../../support/render'

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn(() => Promise.resolve())
})
afterEach(cleanup)

const show = (output: string, language?: 'en' | 'tr') =>
  render(<OutputView output={output} fileName="pc-1.txt" height={240} />, language ? { language } : {})

const marks = () => [...document.querySelectorAll('mark')].map((mark) => mark.hasAttribute('data-current'))

describe('OutputView', () => {
  it('shows 4,000 lines whole', async () => {
    await show(Array.from({ length: 4_000 }, (_, index) => `line ${index}\n`).join(''))
    const text = screen.getByRole('region', { name: 'Output' }).textContent ?? ''
    expect(text.split('\n')).toHaveLength(4_001)
    expect(text.endsWith('line 3999\n')).toBe(true)
  })

  it('counts what a search finds, and walks through it both ways, round the ends', async () => {
    const { user } = await show('one ERROR\ntwo\nthree error\nfour Error\n')
    await user.type(screen.getByRole('textbox', { name: 'Search the output' }), 'error')
    expect(await screen.findByText('1 of 3')).toBeTruthy()
    expect(marks()).toEqual([true, false, false])
    await user.click(screen.getByRole('button', { name: 'Next match' }))
    expect(await screen.findByText('2 of 3')).toBeTruthy()
    expect(marks()).toEqual([false, true, false])
    await user.keyboard('{Tab}')
    await user.type(screen.getByRole('textbox', { name: 'Search the output' }), '{Enter}{Enter}')
    expect(await screen.findByText('1 of 3')).toBeTruthy()
    await user.keyboard('{Shift>}{Enter}{/Shift}')
    expect(await screen.findByText('3 of 3')).toBeTruthy()
    await waitFor(() => expect(Element.prototype.scrollIntoView).toHaveBeenCalled())
    await user.type(screen.getByRole('textbox', { name: 'Search the output' }), ' nowhere')
    expect(await screen.findByText('No match')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Next match' })).toHaveProperty('disabled', true)
  })

  it('wraps lines or not', async () => {
    const { user } = await show('a long line')
    const wraps = () => document.querySelector('pre')?.hasAttribute('data-wrap')
    expect(wraps()).toBe(true)
    await user.click(screen.getByRole('button', { name: "Don't wrap lines" }))
    expect(wraps()).toBe(false)
    await user.click(screen.getByRole('button', { name: 'Wrap lines' }))
    expect(wraps()).toBe(true)
  })

  it('saves what the script printed, escape sequences included, under the name of the device', async () => {
    const { user } = await show('\x1b[31mred\x1b[0m')
    expect(screen.getByRole('region', { name: 'Output' }).textContent).toBe('red')
    const made = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:output')
    const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue()
    await user.click(screen.getByRole('button', { name: 'Download the output' }))
    expect(clicked.mock.contexts[0]).toMatchObject({ href: 'blob:output', download: 'pc-1.txt' })
    const [blob] = made.mock.lastCall ?? []
    expect(await (blob as Blob).text()).toBe('\x1b[31mred\x1b[0m')
  })

  it('opens over the whole screen', async () => {
    const { user } = await show('hello', 'tr')
    await user.click(screen.getByRole('button', { name: 'Tam ekran aç' }))
    const dialog = await screen.findByRole('dialog')
    expect(within(dialog).getByRole('region', { name: 'Çıktı' }).textContent).toBe('hello')
  })
})

describe('RunOutputView', () => {
  const run = { id: '12345678-0000', company_id: 'c', status: 'succeeded' }
  const open = (output: string, isTruncated: boolean, language: 'en' | 'tr' = 'en') => {
    const data = fakeData()
    data.getOne.mockResolvedValue({
      data: { output, output_truncated: isTruncated, error: null, started_at: null, device: null, job: null },
    })
    return render(<RunOutputView run={run} deviceName="Muhasebe 1" height={240} />, { language, data })
  }

  it('says exactly what was cut', async () => {
    await open('a\n… 123,456 bytes (2,345 lines) cut here …\nb', true)
    await waitFor(() =>
      expect(
        screen.getByText('123,456 bytes (2,345 lines) were cut from the middle of this output.'),
      ).toBeTruthy(),
    )
    cleanup()
    await open('a\n… 123,456 bytes (2,345 lines) cut here …\nb', true, 'tr')
    expect(await screen.findByText('Bu çıktının ortasından 123.456 bayt (2.345 satır) kesildi.')).toBeTruthy()
  })

  it('does not take a script’s own words for a cut', async () => {
    await open('… 1 bytes (1 lines) cut here …', false)
    await screen.findByRole('region', { name: 'Output' })
    expect(screen.queryByText(/were cut from/)).toBeNull()
  })
})
