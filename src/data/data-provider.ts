import type { DataProvider } from '@refinedev/core'
import { config, supabase } from '@/data/client'
import { createDataProvider } from '@/data/create-data-provider'

export const dataProvider: DataProvider = createDataProvider(supabase, config.url)
