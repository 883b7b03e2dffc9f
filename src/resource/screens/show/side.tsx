import { Suspense, useState } from 'react'
import { useCan } from '@/access/use-can'
import type { Row } from '@/data/rows'
import { type TabProps, useEngineComponent } from '@/resource/engine-context'
import { useMayChoose } from '@/resource/fields/guards'
import type { Definition, SidePart } from '@/resource/language/definition.generated'
import { showOf } from '@/resource/language/naming'
import { useWords } from '@/resource/language/words'
import { MissingComponent } from '@/resource/missing-component'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { EditInPlace } from '@/resource/screens/show/edit-in-place'
import { ShowField, shownNames } from '@/resource/screens/show/sections'
import { PartLoading } from '@/ui/loading-state'
import { useIsPrinting } from '@/ui/use-is-printing'
import { useMedia } from '@/ui/use-media'

interface SideProps {
  definition: Definition
  record: Row
}

/** Parts right of the overview; on a narrow screen each folds, and is loaded when it is first opened. */
export function Side({ definition, record }: SideProps) {
  const can = useCan()
  const words = useWords(definition)
  const mayChoose = useMayChoose()
  const { filter } = useResourceScope()
  const isWide = useMedia('(min-width: 1100px)')
  const isPrinting = useIsPrinting()
  const parts = Object.entries(showOf(definition)?.side ?? {}).flatMap(([name, part]) => {
    if (part.policy && !can(part.policy.object, part.policy.verb).allowed) return []
    if (part.unless && can(part.unless.object, part.unless.verb).allowed) return []
    // A link to records that the user may not list would only say so.
    const names = shownNames(definition, part.rows ?? [], record, filter).filter((shown) => {
      const field = definition.fields[shown]
      return field !== undefined && mayChoose(field)
    })
    return names.length > 0 || part.component ? [{ name, part, names }] : []
  })
  if (parts.length === 0) return null
  return (
    <aside className="k-side">
      {parts.map(({ name, part, names }) => {
        const content = (
          <PartContent key={name} definition={definition} record={record} part={part} names={names} />
        )
        return isWide || isPrinting ? (
          <section key={name} className="k-section" aria-label={words.section(name)}>
            <h3>{words.section(name)}</h3>
            {content}
          </section>
        ) : (
          <FoldedPart key={name} title={words.section(name)}>
            {content}
          </FoldedPart>
        )
      })}
    </aside>
  )
}

function FoldedPart({ title, children }: { title: string; children: React.ReactNode }) {
  const [wasOpened, setOpened] = useState(false)
  return (
    <details className="k-section" onToggle={(event) => event.currentTarget.open && setOpened(true)}>
      <summary>{title}</summary>
      {wasOpened ? children : null}
    </details>
  )
}

interface PartContentProps extends SideProps {
  part: SidePart
  names: readonly string[]
}

function PartContent({ definition, record, part, names }: PartContentProps) {
  const words = useWords(definition)
  const edited: readonly string[] = part.edit ?? []
  return (
    <div className="k-side-part">
      {names.length > 0 ? (
        <dl>
          {names.map((name) =>
            edited.includes(name) ? (
              <EditInPlace key={name} definition={definition} name={name} record={record} />
            ) : (
              <ShowField
                key={name}
                definition={definition}
                name={name}
                record={record}
                label={words.field(name)}
              />
            ),
          )}
        </dl>
      ) : null}
      {part.component ? (
        <PartComponent component={part.component} record={record} resource={definition.name} />
      ) : null}
    </div>
  )
}

function PartComponent({ component, record, resource }: TabProps & { component: string }) {
  const Component = useEngineComponent<TabProps>(component)
  if (!Component) return <MissingComponent component={component} />
  return (
    <Suspense fallback={<PartLoading rows={3} />}>
      <Component record={record} resource={resource} />
    </Suspense>
  )
}
