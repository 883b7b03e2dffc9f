import DownloadOutlined from '@ant-design/icons/es/icons/DownloadOutlined'
import DownOutlined from '@ant-design/icons/es/icons/DownOutlined'
import FullscreenOutlined from '@ant-design/icons/es/icons/FullscreenOutlined'
import UpOutlined from '@ant-design/icons/es/icons/UpOutlined'
import { Button, Input, Modal } from 'antd'
import {
  memo,
  type ReactNode,
  type UIEvent,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { saveBlob } from '@/resource/tools/export/export-file'
import { CopyButton } from '@/ui/copy-button'
import { displayText, findMatches, MAX_MATCHES, type OutputPart, toParts } from './output-text'
import css from './output-view.module.css'

const LINE_HEIGHT = 20

type Props = {
  output: string
  fileName: string
  /** Height of the text; 'fill' takes what its container leaves. */
  height: number | 'fill'
  /** The script still runs: its last line stays in view until somebody scrolls up. */
  isGrowing?: boolean
}

/** The output of a script: searchable, with optional wrapping, and fast up to the megabyte that is kept. */
export function OutputView({ output, fileName, height, isGrowing = false }: Props) {
  const { t } = useTranslation('jobs')
  const [isExpanded, setIsExpanded] = useState(false)
  return (
    <>
      <OutputPane
        output={output}
        fileName={fileName}
        height={height}
        isGrowing={isGrowing}
        extra={
          <Button
            size="small"
            icon={<FullscreenOutlined />}
            aria-label={t('output.expand')}
            title={t('output.expand')}
            onClick={() => setIsExpanded(true)}
          />
        }
      />
      <Modal
        open={isExpanded}
        onCancel={() => setIsExpanded(false)}
        title={t('output.label')}
        footer={null}
        mask={{ closable: true }}
        destroyOnHidden
        width="calc(100vw - 32px)"
        style={{ top: 16, maxWidth: 'none', margin: '0 auto', paddingBlockEnd: 0 }}
        styles={{ body: { height: 'calc(100dvh - 120px)', display: 'flex', flexDirection: 'column' } }}
      >
        <OutputPane output={output} fileName={fileName} height="fill" isGrowing={isGrowing} />
      </Modal>
    </>
  )
}

/** Keeps the end of a growing text in view, unless somebody scrolled up. */
function useFollowedEnd(text: string, isGrowing: boolean) {
  const box = useRef<HTMLElement>(null)
  const isAtEnd = useRef(isGrowing)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text that grew
  useLayoutEffect(() => {
    const { current } = box
    if (current && isAtEnd.current) current.scrollTop = current.scrollHeight
  }, [text])
  const handleScroll = ({ currentTarget }: UIEvent<HTMLElement>) => {
    const { scrollTop, clientHeight, scrollHeight } = currentTarget
    isAtEnd.current = scrollTop + clientHeight >= scrollHeight - LINE_HEIGHT
  }
  return { ref: box, onScroll: handleScroll }
}

function OutputPane({ output, fileName, height, isGrowing = false, extra }: Props & { extra?: ReactNode }) {
  const { t } = useTranslation('jobs')
  const [isWrapped, setIsWrapped] = useState(true)
  const text = useMemo(() => displayText(output), [output])
  const parts = useMemo(() => toParts(text), [text])
  const search = useOutputSearch(text, parts)
  const followed = useFollowedEnd(text, isGrowing)
  return (
    <div className={css.pane} data-fill={height === 'fill' || undefined}>
      <div className={css.toolbar}>
        <OutputSearch search={search} />
        <div className={css.actions}>
          <Button size="small" onClick={() => setIsWrapped((before) => !before)}>
            {isWrapped ? t('output.noWrap') : t('output.wrap')}
          </Button>
          <CopyButton text={text} iconOnly size="small" label={t('output.copy')} />
          <Button
            size="small"
            icon={<DownloadOutlined />}
            aria-label={t('output.download')}
            title={t('output.download')}
            onClick={() => saveBlob(new Blob([output], { type: 'text/plain' }), fileName)}
          />
          {extra}
        </div>
      </div>
      {/* Reachable by keyboard, since a long output scrolls. */}
      <section
        {...followed}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must take the focus
        tabIndex={0}
        aria-label={t('output.label')}
        className={css.text}
        style={height === 'fill' ? undefined : { maxHeight: height }}
      >
        <pre className={css.pre} data-wrap={isWrapped || undefined}>
          {parts.map((part) => (
            <Part
              key={part.start}
              part={part}
              matches={search.matchesIn(part)}
              length={search.length}
              current={search.currentIn(part)}
            />
          ))}
        </pre>
      </section>
    </div>
  )
}

/** All parts without a match share this list, so that they are not rendered again. */
const NO_MATCHES: readonly number[] = []

const isIn = ({ start, text }: OutputPart, at: number): boolean => at >= start && at < start + text.length

function useOutputSearch(text: string, parts: readonly OutputPart[]) {
  const [query, setQuery] = useState('')
  const [index, setIndex] = useState(0)
  const wanted = useDeferredValue(query)
  const matches = useMemo(() => findMatches(text, wanted), [text, wanted])
  const byPart = useMemo(() => {
    const found = new Map<OutputPart, number[]>()
    let next = 0
    for (const part of parts) {
      const first = next
      while (next < matches.length && isIn(part, matches[next] ?? 0)) next++
      if (next > first) found.set(part, matches.slice(first, next))
    }
    return found
  }, [matches, parts])
  const current = matches.length === 0 ? null : Math.min(index, matches.length - 1)
  const currentAt = current === null ? undefined : matches[current]
  return {
    query,
    length: wanted.length,
    count: matches.length,
    current,
    setQuery: (next: string) => {
      setQuery(next)
      setIndex(0)
    },
    move: (by: number) =>
      setIndex(matches.length === 0 ? 0 : ((current ?? 0) + by + matches.length) % matches.length),
    matchesIn: (part: OutputPart) => byPart.get(part) ?? NO_MATCHES,
    currentIn: (part: OutputPart) => (currentAt !== undefined && isIn(part, currentAt) ? currentAt : null),
  }
}

function OutputSearch({ search }: { search: ReturnType<typeof useOutputSearch> }) {
  const { t } = useTranslation('jobs')
  const language = useLanguage()
  const { query, count, current, setQuery, move } = search
  const total = count === MAX_MATCHES ? `${formatNumber(count, language)}+` : formatNumber(count, language)
  return (
    <search className={css.search}>
      <Input
        size="small"
        allowClear
        value={query}
        aria-label={t('output.search')}
        placeholder={t('output.search')}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          move(event.shiftKey ? -1 : 1)
        }}
      />
      <span className={css.count} role="status">
        {query === ''
          ? null
          : current === null
            ? t('output.noMatch')
            : t('output.match', { index: formatNumber(current + 1, language), total })}
      </span>
      <Button
        size="small"
        icon={<UpOutlined />}
        disabled={count === 0}
        aria-label={t('output.previous')}
        title={t('output.previous')}
        onClick={() => move(-1)}
      />
      <Button
        size="small"
        icon={<DownOutlined />}
        disabled={count === 0}
        aria-label={t('output.next')}
        title={t('output.next')}
        onClick={() => move(1)}
      />
    </search>
  )
}

type PartProps = { part: OutputPart; matches: readonly number[]; length: number; current: number | null }

const Part = memo(function Part({ part, matches, length, current }: PartProps) {
  const { start, text, lines } = part
  const pieces: ReactNode[] = []
  let done = 0
  for (const match of matches) {
    const at = match - start
    pieces.push(text.slice(done, at))
    pieces.push(
      match === current ? (
        <CurrentMark key={match}>{text.slice(at, at + length)}</CurrentMark>
      ) : (
        <mark key={match} className={css.mark}>
          {text.slice(at, at + length)}
        </mark>
      ),
    )
    done = at + length
  }
  pieces.push(text.slice(done))
  return (
    <div className={css.part} style={{ containIntrinsicBlockSize: `auto ${lines * LINE_HEIGHT}px` }}>
      {pieces}
    </div>
  )
})

function CurrentMark({ children }: { children: string }) {
  const ref = useRef<HTMLElement>(null)
  // Braces: recent browsers return a promise here, which React would take for a clean-up function.
  useEffect(() => {
    ref.current?.scrollIntoView({ block: 'center', inline: 'nearest' })
  }, [])
  return (
    <mark ref={ref} className={css.mark} data-current>
      {children}
    </mark>
  )
}
