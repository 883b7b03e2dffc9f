import {
  type BaseRecord,
  type CustomParams,
  type DataProvider,
  type GetListParams,
  type GetOneParams,
  type LiveProvider,
  Refine,
} from '@refinedev/core'
import { QueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { vi } from 'vitest'
import { i18nProvider } from '@/refine/i18n-provider'
import { useNotificationProvider } from '@/refine/notification-provider'

/** Answers for a component below `<Refine>`: a question that the test does not answer fails. */
export function fakeData() {
  const refuse = (method: string) => async (question: object) => {
    throw new Error(`No answer for ${method} ${JSON.stringify(question)}`)
  }
  return {
    getList: vi.fn<(question: GetListParams) => Promise<{ data: BaseRecord[]; total: number }>>(
      refuse('getList'),
    ),
    getOne: vi.fn<(question: GetOneParams) => Promise<{ data: BaseRecord }>>(refuse('getOne')),
    getMany: vi.fn(refuse('getMany')),
    create: vi.fn(refuse('create')),
    createMany: vi.fn<(question: object) => Promise<{ data: BaseRecord[] }>>(refuse('createMany')),
    update: vi.fn(refuse('update')),
    updateMany: vi.fn<(question: object) => Promise<{ data: BaseRecord[] }>>(refuse('updateMany')),
    deleteOne: vi.fn<(question: object) => Promise<{ data: BaseRecord }>>(refuse('deleteOne')),
    custom: vi.fn<(question: CustomParams) => Promise<{ data: unknown }>>(refuse('custom')),
    getApiUrl: () => '',
  }
}

interface WithRefineProps {
  data: ReturnType<typeof fakeData>
  liveProvider?: LiveProvider
  children: ReactNode
}

/** Mounts a component below `<Refine>` as the console configures it; inside `render()`. */
export function WithRefine({ data, liveProvider, children }: WithRefineProps) {
  const [client] = useState(() => new QueryClient({ defaultOptions: { queries: { retry: false } } }))
  return (
    <Refine
      dataProvider={data as unknown as DataProvider}
      {...(liveProvider ? { liveProvider } : {})}
      i18nProvider={i18nProvider}
      notificationProvider={useNotificationProvider}
      options={{ disableTelemetry: true, liveMode: 'off', reactQuery: { clientConfig: client } }}
    >
      {children}
    </Refine>
  )
}
