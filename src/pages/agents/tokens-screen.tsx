import type { ScreenProps } from '@/resource/engine-context'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { ResourceList } from '@/resource/screens/list/resource-list'
import css from './agents.module.css'
import { CreateToken } from './create-token'

/** The tokens, and the button that makes one: no form of the engine shows a token once. */
export function TokensScreen({ resource }: ScreenProps) {
  return (
    <div className={css.page}>
      <CreateToken>
        {(button) => (
          <DefinedScreen resource={resource}>
            {(definition) => <ResourceList definition={definition} action={button} />}
          </DefinedScreen>
        )}
      </CreateToken>
    </div>
  )
}
