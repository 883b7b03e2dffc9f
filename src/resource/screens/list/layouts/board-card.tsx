import { draggable } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { type KeyboardEvent, memo, type ReactNode, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import type { Row } from '@/data/rows'
import { FieldLinksContext } from '@/resource/fields/cell-parts'
import type { Definition } from '@/resource/language/definition.generated'
import { recordPath } from '@/resource/language/naming'
import { recordTitle } from '@/resource/request/query/title'
import type { Detail } from '@/resource/screens/list/row-plan'

/** The same object while nothing of the board changes, so that scrolling draws no card again. */
export interface CardBoard {
  definition: Definition
  plan: readonly Detail[]
  linkState: unknown
  rowMenu: ((row: Row) => ReactNode) | null
  isMovable: (row: Row) => boolean
  onHover: (row: Row) => void
  onKey: (event: KeyboardEvent<HTMLElement>, row: Row) => void
}

interface BoardCardProps {
  row: Row
  board: CardBoard
}

export const BoardCard = memo(function BoardCard({ row, board }: BoardCardProps) {
  const { definition, plan, rowMenu, isMovable, onHover, onKey, linkState } = board
  const card = useRef<HTMLElement>(null)
  const [isDragged, setDragged] = useState(false)
  const canMove = isMovable(row)
  useEffect(() => {
    const element = card.current
    if (!element || !canMove) return
    return draggable({
      element,
      getInitialData: () => ({ row }),
      onDragStart: () => setDragged(true),
      onDrop: () => setDragged(false),
    })
  }, [row, canMove])
  const values = plan.filter(({ isFilled }) => isFilled(row))
  const title = recordTitle(definition, row)
  const path = recordPath(definition, String(row.id))
  return (
    <article
      ref={card}
      className="k-card"
      aria-label={title}
      data-card={String(row.id)}
      data-movable={canMove}
      data-dragged={isDragged}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys go from card to card and move them
      tabIndex={0}
      aria-keyshortcuts={canMove ? 'Shift+ArrowLeft Shift+ArrowRight' : undefined}
      onKeyDown={(event) => onKey(event, row)}
      onPointerEnter={() => onHover(row)}
    >
      <div className="k-card-head">
        {path ? (
          <Link to={path} state={linkState} className="k-card-title" draggable={false}>
            {title}
          </Link>
        ) : (
          <span className="k-card-title">{title}</span>
        )}
        {rowMenu ? rowMenu(row) : null}
      </div>
      {values.length > 0 ? (
        <div className="k-card-values">
          <FieldLinksContext value={false}>{values.map(({ draw }) => draw(row))}</FieldLinksContext>
        </div>
      ) : null}
    </article>
  )
})
