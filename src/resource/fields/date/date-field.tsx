import { DatePicker, type DatePickerProps } from 'antd'
import dayjs, { type Dayjs } from 'dayjs'
import {
  type AriaAttributes,
  type ComponentProps,
  createContext,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useContext,
  useMemo,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatDay } from '@/i18n/format'
import type { Language } from '@/i18n/language'
import { useLanguage } from '@/i18n/use-language'
import { parseDay, parseInstant } from '@/resource/fields/date/written-dates'
import { isStoredDate } from '@/resource/fields/value-checks'

/** The same object for the same text: a date picker that gets another one drops the date being typed. */
export function useDayjs(text: string | null): Dayjs | null {
  return useMemo(() => (text ? dayjs(text) : null), [text])
}

type PickerProps = 'id' | 'disabled' | 'onBlur' | 'defaultOpen' | 'autoFocus' | 'status' | 'placeholder'

interface DateFieldProps extends Pick<DatePickerProps, PickerProps | 'minDate' | 'maxDate'>, AriaAttributes {
  /** A stored day or instant, or a text that could not be read as one. */
  value: string | null
  withTime?: boolean
  /** A date that was picked, or typed and left; null when it was cleared. */
  onChange: (value: string | null) => void
  /** Each key: the date as it is understood so far, or the text itself while it is not one. */
  onType?: ((value: string | null) => void) | undefined
  /** The field was left with a text that is not a date. */
  onUnreadable?: () => void
}

interface Typed {
  text: string
  /** The value when it was typed, and the one it was understood as: any other value comes from elsewhere. */
  before: string | null
  sent: string | null
}

/** Outside of these years it is a slip of the finger. */
const YEARS = /^(?:19|2\d)\d\d/

function read(text: string, withTime: boolean): string | null {
  const date = withTime ? parseInstant(text, 'day') : parseDay(text, 'day')?.day
  return date && YEARS.test(date) ? date : null
}

interface Typing {
  text: string | null
  type: (text: string) => void
  settle: () => void
}

const TypingContext = createContext<Typing>({ text: null, type: () => undefined, settle: () => undefined })

/** The picker's own input drops what it cannot read; this one keeps it. */
function TypedInput({ ref, ...props }: ComponentProps<'input'> & { ref?: Ref<HTMLInputElement> }) {
  const { text, type, settle } = useContext(TypingContext)
  return (
    <input
      {...props}
      // The picker lets nobody type a form that only a function writes; this input reads it back itself.
      readOnly={false}
      ref={ref}
      value={text ?? props.value}
      onChange={(event) => {
        type(event.target.value)
        props.onChange?.(event)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') settle()
        props.onKeyDown?.(event)
      }}
      onBlur={(event) => {
        settle()
        props.onBlur?.(event)
      }}
    />
  )
}

/** Taking a date by Enter is no submitting of the form: the browser would do both. Buttons keep their Enter. */
export function keepEnter(event: Pick<KeyboardEvent, 'key' | 'preventDefault'> & { target: unknown }): void {
  const { tagName } = event.target as { tagName?: string }
  if (event.key === 'Enter' && tagName === 'INPUT') event.preventDefault()
}

/** Around a control whose own meaning of Enter has been done by the time the event gets here. */
function EnterStays({ children }: { children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens to what its control lets through
    <div onKeyDown={keepEnter}>{children}</div>
  )
}

const COMPONENTS = { input: TypedInput }

/** English writes a day as everywhere else in the console; Turkish forms have digits alone. */
function formatOf(language: Language, withTime: boolean): DatePickerProps['format'] {
  if (language === 'tr') return withTime ? 'DD.MM.YYYY HH:mm' : 'DD.MM.YYYY'
  return (day) =>
    withTime ? formatDateTime(day.toDate(), language) : formatDay(day.format('YYYY-MM-DD'), language)
}

/** A day, or a moment on the reader's clock, picked from the calendar or typed in any common form. */
export function DateField(props: DateFieldProps) {
  const { value, withTime = false, onChange, onType, onUnreadable, ...rest } = props
  const { t } = useTranslation('engine')
  const language = useLanguage()
  const [typed, setTyped] = useState<Typed | null>(null)
  const stored = value !== null && isStoredDate(value) ? value : null
  const day = useDayjs(stored)
  const isTyped = typed !== null && (value === typed.before || value === typed.sent)
  const text = isTyped ? typed.text : stored === value ? null : value
  const typing: Typing = {
    text,
    type: (next) => {
      const sent = next.trim() === '' ? null : (read(next, withTime) ?? next)
      setTyped({ text: next, before: value, sent })
      onType?.(sent)
    },
    settle: () => {
      if (!isTyped) return
      if (typed.sent !== null && !isStoredDate(typed.sent)) {
        // Where the owner keeps no text, its value becomes empty, and the text stays all the same.
        if (onUnreadable) setTyped({ ...typed, sent: null })
        return onUnreadable?.()
      }
      setTyped(null)
      onChange(typed.sent)
    },
  }
  return (
    <EnterStays>
      <TypingContext value={typing}>
        <DatePicker
          className="k-full"
          placeholder={t(withTime ? 'date.withTime' : 'date.placeholder')}
          {...rest}
          showTime={withTime ? { format: 'HH:mm' } : false}
          format={formatOf(language, withTime)}
          components={COMPONENTS}
          value={day}
          onChange={(next) => {
            setTyped(null)
            onChange(next ? (withTime ? next.toISOString() : next.format('YYYY-MM-DD')) : null)
          }}
        />
      </TypingContext>
    </EnterStays>
  )
}
