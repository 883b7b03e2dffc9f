import { Button, Input, Radio } from 'antd'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { randomUuid } from '@/data/random-uuid'
import { useRpcCall } from '@/refine/use-rpc'
import type { TabProps } from '@/resource/engine-context'
import { useErrorText } from '@/resource/use-error-text'
import { COMMAND_TYPES } from '@/runs/start/command-data'
import { Notice } from '@/ui/notice'
import css from './terminal.module.css'
import { TerminalEntry } from './terminal-entry'

interface Entry {
  /** Null until the server has taken the command. */
  jobId: string | null
  command: string
  failure?: string
}

/** Less than half of the time for which the server takes a terminal for open. */
const KEEP_MS = 12_000

/** While the terminal is shown, its device asks for commands without a pause. */
function useOpenTerminal(deviceId: string): void {
  const call = useRpcCall()
  useEffect(() => {
    const keep = () => {
      // A command that does not come in time says what is wrong.
      if (!document.hidden) call('keep_terminal', { device_id: deviceId }).catch(() => undefined)
    }
    keep()
    const timer = setInterval(keep, KEEP_MS)
    document.addEventListener('visibilitychange', keep)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', keep)
    }
  }, [deviceId, call])
}

/** The shells of a system, its usual one first. */
function shellsOf(platform: unknown): readonly (typeof COMMAND_TYPES)[number][] {
  if (platform === 'windows') return ['PowerShell', 'CMD', 'Python']
  return platform === 'linux' || platform === 'macos' ? ['Bash', 'Python'] : COMMAND_TYPES
}

/** Runs commands one after the other on one device, in one working directory. Each is a job like those of Custom Commands. */
export function TerminalTab({ record }: TabProps) {
  const { t } = useTranslation(['devices', 'jobs'])
  const call = useRpcCall()
  const [session] = useState(randomUuid)
  const errorText = useErrorText()
  const shells = shellsOf(record.platform)
  const [shell, setShell] = useState(shells[0])
  const [entries, setEntries] = useState<Entry[]>([])
  const [text, setText] = useState('')
  const [isRunning, setRunning] = useState(false)
  /** How far back the arrow keys have gone; 0 is the new command. */
  const [back, setBack] = useState(0)
  const stop = useRef<(() => void) | null>(null)
  const end = useRef<HTMLDivElement>(null)
  useOpenTerminal(String(record.id))
  const count = entries.length
  useEffect(() => {
    if (count > 0) end.current?.scrollIntoView({ block: 'nearest' })
  }, [count])

  const change = (index: number, more: Partial<Entry>) =>
    setEntries((list) => list.map((entry, at) => (at === index ? { ...entry, ...more } : entry)))
  const run = async () => {
    const command = text.trim()
    if (command === '' || isRunning) return
    const index = entries.length
    setEntries((list) => [...list, { jobId: null, command }])
    setText('')
    setBack(0)
    setRunning(true)
    try {
      const jobId = await call<string>('run_in_terminal', {
        device_id: record.id,
        session,
        type: shell,
        command,
      })
      change(index, { jobId })
    } catch (error) {
      change(index, { failure: errorText(error) })
      setRunning(false)
    }
  }
  const recall = (step: number) => {
    const next = Math.min(entries.length, Math.max(0, back + step))
    setBack(next)
    setText(next === 0 ? '' : (entries[entries.length - next]?.command ?? ''))
  }
  const handleKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const isSelected = event.currentTarget.selectionStart !== event.currentTarget.selectionEnd
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault()
      void run()
    } else if (event.key === 'ArrowUp' && !text.includes('\n')) {
      event.preventDefault()
      recall(1)
    } else if (event.key === 'ArrowDown' && !text.includes('\n')) {
      event.preventDefault()
      recall(-1)
    } else if (event.key === 'c' && event.ctrlKey && !isSelected && stop.current) {
      event.preventDefault()
      stop.current()
    }
  }
  return (
    <section className={css.terminal} aria-label={t('terminal.title')}>
      {record.status === 'offline' ? (
        <Notice tone="warning" title={t('terminal.offline')} text={t('terminal.offlineText')} />
      ) : null}
      <div className={css.screen} role="log" aria-label={t('terminal.output')}>
        {entries.length === 0 ? <p className={css.hint}>{t('terminal.hint')}</p> : null}
        {entries.map(({ jobId, command, failure }, index) => (
          <TerminalEntry
            // biome-ignore lint/suspicious/noArrayIndexKey: entries are only appended
            key={index}
            command={command}
            jobId={jobId}
            failure={failure}
            companyId={String(record.company_id)}
            onOpen={(cancel) => {
              stop.current = cancel
            }}
            onEnd={() => {
              stop.current = null
              setRunning(false)
            }}
          />
        ))}
        <div ref={end} />
      </div>
      <div className={css.prompt}>
        <span aria-hidden className={css.sign}>
          ›
        </span>
        <Input.TextArea
          autoFocus
          className={css.input ?? ''}
          variant="borderless"
          aria-label={t('terminal.command')}
          placeholder={t('terminal.placeholder')}
          autoSize={{ minRows: 1, maxRows: 8 }}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          maxLength={20_000}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={handleKey}
        />
      </div>
      <div className={css.tools}>
        <Radio.Group
          optionType="button"
          size="small"
          aria-label={t('terminal.shell')}
          value={shell}
          options={shells.map((each) => ({ value: each, label: each }))}
          onChange={(event) => setShell(event.target.value as typeof shell)}
        />
        <span className={css.spread} />
        {isRunning ? (
          <Button size="small" danger onClick={() => stop.current?.()}>
            {t('terminal.stop')}
          </Button>
        ) : null}
        <Button
          size="small"
          type="primary"
          disabled={isRunning || text.trim() === ''}
          onClick={() => void run()}
        >
          {t('terminal.run')}
        </Button>
      </div>
    </section>
  )
}
