import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import type { OverlayProps } from '@/app/palette/palette-launcher'
import '@/app/keyboard/keys-dialog.css'

type Word =
  | 'palette'
  | 'sidebar'
  | 'search'
  | 'create'
  | 'help'
  | 'down'
  | 'up'
  | 'open'
  | 'select'
  | 'editRow'
  | 'editCells'
  | 'editCell'
  | 'cards'
  | 'moveCard'
  | 'editRecord'
  | 'applyChanges'
  | 'previousRecord'
  | 'nextRecord'

interface Place {
  place: 'everywhere' | 'lists' | 'boards' | 'records'
  /** Each entry is the word for the action, then the keys that are pressed together. */
  keys: readonly (readonly [Word, ...string[]])[]
}

const KEYS: readonly Place[] = [
  {
    place: 'everywhere',
    keys: [
      ['palette', 'mod', 'K'],
      ['sidebar', 'mod', 'B'],
      ['search', '/'],
      ['create', 'n'],
      ['help', '?'],
    ],
  },
  {
    place: 'lists',
    keys: [
      ['down', 'j'],
      ['up', 'k'],
      ['open', 'Enter'],
      ['select', 'x'],
      ['editRow', 'e'],
      ['editCells', 'c'],
      ['editCell', 'F2'],
      ['applyChanges', '.'],
    ],
  },
  {
    place: 'boards',
    keys: [
      ['cards', '← ↑ ↓ →'],
      ['moveCard', 'Shift', '← →'],
    ],
  },
  {
    place: 'records',
    keys: [
      ['editRecord', 'e'],
      ['previousRecord', '['],
      ['nextRecord', ']'],
    ],
  },
]

const MODIFIER = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'

/** The list of all keys. */
export function KeysDialog({ onClose }: OverlayProps) {
  const { t } = useTranslation('palette')
  return (
    <Modal
      open
      title={t('keys.title')}
      closable={{ 'aria-label': t('keys.close') }}
      footer={null}
      mask={{ closable: true }}
      onCancel={onClose}
    >
      {KEYS.map(({ place, keys }) => (
        <section key={place} className="k-keys" aria-label={t(`keys.${place}`)}>
          <h2>{t(`keys.${place}`)}</h2>
          <dl>
            {keys.map(([name, ...presses]) => (
              <div key={name}>
                <dt>{t(`keys.${name}`)}</dt>
                <dd>
                  {presses.map((press) => (
                    <kbd key={press}>{press === 'mod' ? MODIFIER : press}</kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <p className="k-keys-note">{t('keys.note')}</p>
    </Modal>
  )
}
