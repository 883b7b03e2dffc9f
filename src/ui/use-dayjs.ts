import dayjs, { type Dayjs } from 'dayjs'
import { useMemo } from 'react'

/** The same object for the same text: a date picker that gets another one drops the date being typed. */
export function useDayjs(text: string | null): Dayjs | null {
  return useMemo(() => (text ? dayjs(text) : null), [text])
}
