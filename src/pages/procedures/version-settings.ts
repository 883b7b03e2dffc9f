/** The settings that a version fixes beside its script, by column of `procedure_versions`. */
export type VersionColumns = Readonly<Record<string, unknown>>

/** About the version itself, or shown by itself. A column that is not here is fixed by the version, and shown. */
const OTHER_COLUMNS = new Set([
  'id',
  'company_id',
  'procedure_id',
  'number',
  'script',
  'created_by',
  'created_at',
  'updated_at',
  'version',
  'approved_at',
  'approved_by',
  'approved_name',
  'declined_at',
  'declined_by',
  'declined_name',
  'decline_reason',
])

export interface VersionSetting {
  /** A column, or `parameters.<attribute>` of one parameter. */
  field: string
  /** The name of the parameter. */
  parameter: string | null
  value: unknown
}

export interface SettingChange extends Omit<VersionSetting, 'value'> {
  /** Undefined where the setting was not there. */
  before: unknown
  after: unknown
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0)

function parameterSettings(parameters: unknown): VersionSetting[] {
  if (!Array.isArray(parameters)) return []
  const items = parameters.filter(
    (item): item is Record<string, unknown> => typeof item === 'object' && item !== null,
  )
  const names = { field: 'parameters', parameter: null, value: items.map(({ name }) => String(name)) }
  return [
    names,
    ...items.flatMap(({ name, ...attributes }) =>
      Object.entries(attributes).map(([attribute, value]) => ({
        field: `parameters.${attribute}`,
        parameter: String(name),
        value,
      })),
    ),
  ].filter(({ value }) => !isEmpty(value))
}

/** Every setting of a version, one entry a value. */
export function versionSettings(version: VersionColumns): VersionSetting[] {
  return Object.entries(version)
    .filter(([column]) => !OTHER_COLUMNS.has(column))
    .flatMap(([column, value]) =>
      column === 'parameters' ? parameterSettings(value) : [{ field: column, parameter: null, value }],
    )
    .filter(({ value }) => !isEmpty(value))
}

/** The settings that differ; all of the newer version where there is no older one. */
export function settingChanges(before: VersionColumns | null, after: VersionColumns): SettingChange[] {
  const keyOf = ({ field, parameter }: Omit<VersionSetting, 'value'>) => `${parameter ?? ''}\u0000${field}`
  const changes = new Map<string, SettingChange>()
  for (const { value, ...setting } of versionSettings(after))
    changes.set(keyOf(setting), { ...setting, before: undefined, after: value })
  for (const { value, ...setting } of before ? versionSettings(before) : []) {
    const known = changes.get(keyOf(setting))
    changes.set(keyOf(setting), { ...setting, before: value, after: known?.after })
  }
  return [...changes.values()].filter((each) => JSON.stringify(each.before) !== JSON.stringify(each.after))
}
