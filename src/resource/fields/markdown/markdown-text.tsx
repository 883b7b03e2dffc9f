import Markdown from 'markdown-to-jsx/react'
import type { ComponentProps, ReactNode } from 'react'

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

/** Markdown becomes elements, never HTML text: a tag in it shows as it was written. */
export function MarkdownText({ text }: { text: string }) {
  return (
    <div className="k-markdown">
      <Markdown
        options={{
          disableParsingRawHTML: true,
          forceBlock: true,
          forceWrapper: true,
          // The page's own headings come first; the text's are below them.
          overrides: {
            ...HEADINGS,
            h5: HEADINGS.h4,
            h6: HEADINGS.h4,
            a: { component: MarkdownLink },
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
