import Markdown, { type MarkdownToJSX, RuleType } from 'markdown-to-jsx/react'
import { type ComponentProps, Fragment, type ReactNode } from 'react'

/** A link leads out; anything but the web and mail is text. */
function MarkdownLink({ href, children }: ComponentProps<'a'>) {
  if (!href || !/^(https?:|mailto:)/i.test(href)) return <span>{children}</span>
  return (
    <a href={href} target="_blank" rel="noreferrer noopener nofollow">
      {children}
    </a>
  )
}

/** A picture would be fetched from a stranger's server by whoever reads the text: it stays a link. */
function MarkdownImage({ src, alt }: ComponentProps<'img'>) {
  return <MarkdownLink href={src}>{alt || src}</MarkdownLink>
}

function MarkdownTable({ children }: ComponentProps<'table'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div className="k-inner-box" tabIndex={0}>
      <table className="k-inner">{children}</table>
    </div>
  )
}

function MarkdownCode({ children }: ComponentProps<'pre'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre className="k-pre" tabIndex={0}>
      {children}
    </pre>
  )
}

/** Headings have no ids made of their words, because another element of the page could have the same id. */
function heading(Level: 'h4' | 'h5' | 'h6') {
  return ({ children }: { children?: ReactNode }) => <Level>{children}</Level>
}

const HEADINGS = { h1: heading('h4'), h2: heading('h5'), h3: heading('h6'), h4: heading('h6') }

/** A line break that was typed shows as one, as in comments on GitHub; CommonMark alone would make it a space. */
const renderLines: NonNullable<MarkdownToJSX.Options['renderRule']> = (next, node, _children, state) => {
  if (node.type !== RuleType.text || !node.text.includes('\n')) return next()
  const lines = node.text.split('\n')
  return (
    <Fragment key={state.key}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a text have no other identity
        <Fragment key={index}>
          {index > 0 ? <br /> : null}
          {line}
        </Fragment>
      ))}
    </Fragment>
  )
}

/** People whom the text mentions as `[@Name](mention:<id>)`: the name of today by id, null while it is not known. */
export type Mentions = ReadonlyMap<string, string | null>

function MentionLink({ href, children, mentions }: ComponentProps<'a'> & { mentions?: Mentions }) {
  const id = /^mention:(.+)$/.exec(href ?? '')?.[1]
  if (id === undefined || !mentions?.has(id)) return <MarkdownLink href={href}>{children}</MarkdownLink>
  const name = mentions.get(id)
  return <span className="k-mention">{name ? `@${name}` : children}</span>
}

interface MarkdownTextProps {
  text: string
  mentions?: Mentions | undefined
}

/** Markdown becomes elements, never HTML text: a tag in it shows as it was written. */
export function MarkdownText({ text, mentions }: MarkdownTextProps) {
  return (
    <div className="k-markdown">
      <Markdown
        options={{
          disableParsingRawHTML: true,
          forceBlock: true,
          forceWrapper: true,
          renderRule: renderLines,
          // The page's own headings come first; the text's are below them.
          overrides: {
            ...HEADINGS,
            h5: HEADINGS.h4,
            h6: HEADINGS.h4,
            a: { component: MentionLink, props: { mentions } },
            img: { component: MarkdownImage },
            table: { component: MarkdownTable },
            pre: { component: MarkdownCode },
          },
        }}
      >
        {text}
      </Markdown>
    </div>
  )
}
