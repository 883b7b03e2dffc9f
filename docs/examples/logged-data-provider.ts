import type { DataProvider } from '@refinedev/core'

/** The console's data provider, with a line in `log` for each list that is read. */
export function loggedDataProvider(provider: DataProvider, log: (line: string) => void): DataProvider {
  return {
    ...provider,
    getList: (params) => {
      log(`list ${params.resource}`)
      return provider.getList(params)
    },
  }
}
