import type { ScreenProps } from '@/resource/engine-context'
import { RecordList } from '@/resource/list/record-list'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { CompliancePanel } from './compliance-panel'
import css from './patches.module.css'

/** Patch compliance above the updates of the devices. */
export function PatchListScreen({ resource }: ScreenProps) {
  return (
    <div className={css.page}>
      <CompliancePanel />
      <DefinedScreen resource={resource}>
        {(definition) => <RecordList definition={definition} />}
      </DefinedScreen>
    </div>
  )
}
