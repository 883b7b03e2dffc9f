import type { ScreenProps } from '@/resource/engine-context'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { RecordList } from '@/resource/screens/list/record-list'
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
