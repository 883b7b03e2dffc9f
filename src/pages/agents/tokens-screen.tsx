import type { ScreenProps } from '@/resource/engine-context'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { RecordList } from '@/resource/screens/list/record-list'
import css from './agents.module.css'
import { CreateToken } from './create-token'

/** The tokens, with a create button of their own: the engine's form cannot show a token once. */
export function TokensScreen({ resource }: ScreenProps) {
  return (
    <div className={css.page}>
      <CreateToken>
        {(button) => (
          <DefinedScreen resource={resource}>
            {(definition) => <RecordList definition={definition} action={button} />}
          </DefinedScreen>
        )}
      </CreateToken>
    </div>
  )
}
