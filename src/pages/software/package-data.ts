import { type BaseRecord, type HttpError, useDelete, useList } from '@refinedev/core'
import type { TableRow } from '@/data/database'
import { useCache } from '@/refine/use-cache'
import { useRpc, useRpcCall } from '@/refine/use-rpc'

const FILES = 'corporate_app_files'

export type PackageFile = Pick<
  TableRow<'corporate_app_files'>,
  'id' | 'package_version' | 'file_name' | 'size_bytes' | 'sha256' | 'is_current' | 'created_at'
>

export interface PackageLimits {
  max_file_mb: number
  max_company_mb: number
  used_mb: number
}

/** The limits of uploads; null where this backend takes none. */
export const usePackageLimits = (appId: string) =>
  useRpc<PackageLimits | null>({
    name: 'package_limits',
    args: { corporate_app_id: appId },
    resource: 'corporate_apps',
  })

/** The uploaded versions of an app, newest first: 20 at most. */
export function usePackageFiles(appId: string, companyId: string) {
  const { query } = useList<PackageFile & BaseRecord, HttpError>({
    resource: FILES,
    filters: [{ field: 'corporate_app_id', operator: 'eq', value: appId }],
    sorters: [{ field: 'created_at', order: 'desc' }],
    pagination: { mode: 'off' },
    meta: {
      companyId,
      select: 'id,package_version,file_name,size_bytes,sha256,is_current,created_at',
      count: 'none',
    },
  })
  return query
}

/** Adds, chooses and deletes versions. Each is followed by reading the app again. @throws DataError */
export function usePackageActs(appId: string, companyId: string) {
  const call = useRpcCall()
  const cache = useCache()
  const { mutateAsync } = useDelete()
  const refresh = async () => {
    await Promise.all([cache.invalidate(FILES), cache.invalidate('corporate_apps')])
  }

  return {
    /** Makes an upload of the caller a version. */
    add: async (fileId: string, version: string, makeCurrent: boolean): Promise<void> => {
      await call('add_package_version', {
        corporate_app_id: appId,
        package_version: version,
        file_id: fileId,
        make_current: makeCurrent,
      })
      await refresh()
    },
    use: async (id: string) => {
      await call('use_package_file', { file_id: id })
      await refresh()
    },
    remove: async (id: string) => {
      try {
        await mutateAsync({
          resource: FILES,
          id,
          meta: { companyId },
          invalidates: [],
          successNotification: false,
          errorNotification: false,
        })
      } finally {
        await refresh()
      }
    },
  }
}
