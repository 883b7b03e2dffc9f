import { Tag } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { GuardedButton } from '@/access/guarded-button'
import type { TableRow } from '@/data/database'
import type { Definition } from '@/resource/language/definition.generated'
import { showPath } from '@/resource/language/naming'
import { useWords } from '@/resource/language/words'
import { ProgressBar } from '@/ui/progress-bar'
import css from './app-store.module.css'

export type AppRow = Pick<
  TableRow<'apps'>,
  'id' | 'name' | 'publisher' | 'category' | 'description' | 'winget_id' | 'choco_id' | 'apt_id' | 'brew_id'
>

export type AppAct = 'install' | 'update' | 'remove'

/** An update and a removal are offered where a device has the app, or where nobody has counted. */
const actsOf = (state: AppState | null | undefined): AppAct[] =>
  state === null || (state?.devices ?? 0) > 0 ? ['install', 'update', 'remove'] : ['install']

/** An app in the company in view. */
export interface AppState {
  id: string
  /** That have it. */
  devices: number
  /** Installations older than the newest in the company. */
  outdated: number
  /** The newest task under way. */
  job: { id: string; act: AppAct; done: number; total: number } | null
}

/** The systems that an app has a package for. */
const systemsOf = ({ winget_id, choco_id, apt_id, brew_id }: AppRow): string[] => [
  ...(winget_id || choco_id ? ['Windows'] : []),
  ...(apt_id ? ['Linux'] : []),
  ...(brew_id ? ['macOS'] : []),
]

interface AppCardProps {
  app: AppRow
  definition: Definition
  /** Undefined while it loads; null with all companies in view, or when it could not be read. */
  state: AppState | null | undefined
  onAct: (act: AppAct | 'updateAll') => void
}

export function AppCard({ app, definition, state, onAct }: AppCardProps) {
  const { t } = useTranslation('software')
  const words = useWords(definition)
  return (
    <li className={css.card}>
      <div className={css.head}>
        <h2 className={css.name}>
          <Link to={showPath(definition, app.id)}>{app.name}</Link>
        </h2>
        <Tag>{words.value('category', app.category)}</Tag>
      </div>
      <span className={css.publisher}>{app.publisher ?? '–'}</span>
      <p className={css.text}>{app.description}</p>
      <span className={css.systems}>
        {systemsOf(app).map((system) => (
          <Tag key={system}>{system}</Tag>
        ))}
      </span>
      {state ? <Figures app={app} state={state} onUpdateAll={() => onAct('updateAll')} /> : null}
      <div className={css.acts}>
        {actsOf(state).map((act) => (
          <GuardedButton
            key={act}
            resource="apps"
            action="run"
            size="small"
            type={act === 'install' ? 'primary' : 'default'}
            danger={act === 'remove'}
            aria-label={t(`act.${act}`, { app: app.name })}
            onClick={() => onAct(act)}
          >
            {t(`ok.${act}`)}
          </GuardedButton>
        ))}
      </div>
    </li>
  )
}

function Figures({ app, state, onUpdateAll }: { app: AppRow; state: AppState; onUpdateAll: () => void }) {
  const { t } = useTranslation('software')
  const { devices, outdated, job } = state
  return (
    <div className={css.figures}>
      <span className={css.figure}>
        {devices > 0 ? t('store.devices', { count: devices }) : t('store.nowhere')}
        {outdated > 0 ? (
          <GuardedButton
            resource="apps"
            action="run"
            size="small"
            type="link"
            className={css.plain}
            aria-label={t('store.updateAllOf', { app: app.name, count: outdated })}
            onClick={onUpdateAll}
          >
            {t('store.updateAll', { count: outdated })}
          </GuardedButton>
        ) : null}
      </span>
      {job ? (
        <>
          <Link to={`/tasks/${job.id}`}>
            {t(`store.progress.${job.act}`, { done: job.done, total: job.total })}
          </Link>
          <ProgressBar
            label={t(`store.progress.${job.act}`, { done: job.done, total: job.total })}
            done={job.done}
            total={job.total}
          />
        </>
      ) : null}
    </div>
  )
}
