import { useOne } from '@refinedev/core'
import { Tag } from 'antd'
import { useTranslation } from 'react-i18next'
import type { TabProps } from '@/resource/engine-context'
import type { Definition } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import { QueryState } from '@/resource/query-state'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { ShowSections, showSections } from '@/resource/screens/show/sections'
import { toParameters } from '@/runs/start/parameters'
import { VisibleText } from '@/ui/visible-text'
import { type GivenValue, givenValues } from './given-values'
import css from './jobs.module.css'

interface GivenJob {
  id: string
  parameters: Record<string, unknown>
  secret_names: string[]
  /** As the script was then; null once it is deleted. */
  version: { parameters: unknown } | null
}

/** Shows the task's sections, and its parameters before the script. */
export function DetailsTab({ record, resource }: TabProps) {
  return (
    <DefinedScreen resource={resource}>
      {(definition) => {
        const { script, ...facts } = showSections(definition)
        return (
          <div className="l-stack-16">
            <ShowSections definition={definition} sections={facts} record={record} />
            {record.kind === 'procedure' ? <Parameters definition={definition} record={record} /> : null}
            {script ? <ShowSections definition={definition} sections={{ script }} record={record} /> : null}
          </div>
        )
      }}
    </DefinedScreen>
  )
}

function Parameters({ definition, record }: { definition: Definition; record: TabProps['record'] }) {
  const { t } = useTranslation('jobs')
  const words = useWords(definition)
  const { query } = useOne<GivenJob>({
    resource: 'jobs',
    id: String(record.id),
    meta: {
      companyId: String(record.company_id),
      select: 'id,parameters,secret_names,version:procedure_versions(parameters)',
    },
  })
  const job = query.data?.data
  const given = job
    ? givenValues(toParameters(job.version?.parameters), job.parameters, job.secret_names)
    : []
  const textOf = ({ value, isSecret }: GivenValue) => {
    if (isSecret) return t(value ? 'given.secret' : 'given.none')
    if (typeof value === 'boolean') return t(value ? 'given.yes' : 'given.no')
    return value === null ? t('given.none') : String(value)
  }
  if (job && given.length === 0) return null
  return (
    <section className="k-section">
      <h3>{words.field('parameters')}</h3>
      {job ? (
        <dl>
          {given.map((each) => (
            <div key={each.name} className="k-fact">
              <dt>{each.label}</dt>
              <dd className={css.value}>
                <VisibleText text={textOf(each)} />
                {each.isFree ? (
                  <div>
                    <Tag className={css.free}>{t('given.free')}</Tag>
                  </div>
                ) : null}
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <QueryState query={query} rows={2} />
      )}
    </section>
  )
}
