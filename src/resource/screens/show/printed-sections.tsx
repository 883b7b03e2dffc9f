import { useAccess } from '@/access/use-access'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/definition/definition.generated'
import { showOf } from '@/resource/definition/naming'
import { ShowSections, showSections } from '@/resource/screens/show/sections'
import { useWords } from '@/resource/words'

interface PrintedSectionsProps {
  definition: Definition
  record: Row
  /** The open tab, which is printed as it is shown. */
  except: string
  overview: string
}

/** The sections under the tabs that are not open: paper has no tabs to turn. */
export function PrintedSections({ definition, record, except, overview }: PrintedSectionsProps) {
  const { can } = useAccess()
  const words = useWords(definition)
  const tabs = Object.entries(showOf(definition)?.tabs ?? {}).filter(
    ([name, { sections, policy }]) =>
      name !== except && sections && (!policy || can(policy.object, policy.verb).allowed),
  )
  return (
    <div className="k-printed">
      {except === overview ? null : (
        <ShowSections definition={definition} sections={showSections(definition)} record={record} />
      )}
      {tabs.map(([name, { sections = {} }]) => (
        <section key={name}>
          <h2>{words.tab(name)}</h2>
          <ShowSections definition={definition} sections={sections} record={record} />
        </section>
      ))}
    </div>
  )
}
