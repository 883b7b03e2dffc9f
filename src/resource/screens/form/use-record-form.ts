import { type BaseRecord, type HttpError, useForm, useList, useUpdate } from '@refinedev/core'
import { Form, type FormInstance } from 'antd'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { supabase } from '@/data/client'
import { changeLinks, type Row } from '@/data/rows'
import { useRefusedFields } from '@/resource/fields/guards'
import { isEditable } from '@/resource/fields/kinds'
import { hasKeys } from '@/resource/fields/rows/row-keys'
import type { Definition } from '@/resource/language/definition.generated'
import { listOf, tableOf } from '@/resource/language/naming'
import { type ResourceScope, useResourceScope } from '@/resource/request/query/use-scope'
import {
  changedFields,
  columnValues,
  filledValues,
  mergeMine,
  newValues,
  recordValues,
  writtenFields,
} from '@/resource/screens/form/form-values'

function ids(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

/** Writes the rows of link tables for the fields that changed. */
export async function saveLinks(
  definition: Definition,
  saved: { id: string; companyId: string },
  changed: readonly string[],
  before: Row,
  after: Row,
): Promise<void> {
  for (const name of changed) {
    const field = definition.fields[name]
    if (field?.type !== 'many-to-many') continue
    const old = ids(before[name])
    const next = ids(after[name])
    await changeLinks(
      supabase,
      { through: field.through, near: field.near, far: field.far, ...saved },
      { add: next.filter((id) => !old.includes(id)), remove: old.filter((id) => !next.includes(id)) },
    )
  }
}

/**
 * The place behind all others for a new record of a list that people put into an order; null for another list, or
 * where the form does not ask for it or the database fills it in. The database's own default would put the record in front.
 */
function useNextPlace(
  definition: Definition,
  scope: ResourceScope,
  isNew: boolean,
  preset: Row | undefined,
): { by: string; value: number } | null {
  const by = listOf(definition)?.order
  const field = by === undefined ? undefined : definition.fields[by]
  const isAsked =
    isNew && by !== undefined && isEditable(field) && field?.filled !== true && preset?.[by] === undefined
  const { query } = useList<BaseRecord, HttpError>({
    resource: definition.name,
    sorters: [{ field: by ?? 'id', order: 'desc' }],
    pagination: { currentPage: 1, pageSize: 1, mode: 'server' },
    meta: {
      table: tableOf(definition),
      companyId: definition.tenant === false ? null : scope.companyId,
      select: `id,${by}`,
      count: 'none',
    },
    errorNotification: false,
    queryOptions: { enabled: isAsked, refetchOnWindowFocus: false },
  })
  // A cached answer may be older than the record that was created a moment ago.
  const answer = isAsked && query.isFetchedAfterMount ? query.data?.data : undefined
  const [value, setValue] = useState<number | null>(null)
  // The form keeps the first answer: the place of the record must not move while it is filled in or saved.
  if (answer && value === null) {
    const last: unknown = answer[0]?.[by ?? '']
    const max = field && 'max' in field && typeof field.max === 'number' ? field.max : Number.MAX_SAFE_INTEGER
    if (typeof last === 'number') setValue(Math.min(last + 1, max))
  }
  return useMemo(() => (by === undefined || value === null ? null : { by, value }), [by, value])
}

export interface RecordSource {
  definition: Definition
  /** The record as it is in the database; absent for a new one. Newer versions can arrive during editing. */
  record?: Row
  /** Initial values of a new record, in addition to its defaults. */
  preset?: Row
  /** Earlier values of an existing record, filled in like user input. */
  restored?: Row
  /** The company of a new record, where it is not the one in view. */
  companyId?: string | null
}

interface Base {
  values: Row
  version: number | undefined
}

function versionOf(record: Row | undefined): number | undefined {
  return typeof record?.version === 'number' ? record.version : undefined
}

export interface RecordForm {
  form: FormInstance<Row>
  base: Row
  initialValues: Row
  refused: ReadonlySet<string>
  needsCompany: boolean
  isDirty: () => boolean
  /** Saved: what is typed is no longer anybody's loss. */
  markDone: () => void
  /** Values of a newer version that somebody else saved; null when there is no such version. */
  theirs: Row | null
  takeTheirs: () => void
  keepMine: () => void
  /** Takes the merged values; the next save overwrites the newer version. */
  merge: (values: Row) => void
  /** Reads the form's values at this moment. */
  read: () => Row
  /** Writes and returns the row. Rejects with a DataError and leaves the form unchanged. */
  write: () => Promise<Row>
}

/** The state of one form: the opened values, the edits, and what somebody else saved in between. */
export function useRecordForm({ definition, record, preset, restored, companyId }: RecordSource): RecordForm {
  const scope = useResourceScope()
  const [form] = Form.useForm<Row>()
  const refused = useRefusedFields(definition)
  const owner = record?.company_id ?? companyId ?? scope.companyId
  // A resource whose form names the company asks for it there, and may leave it out.
  const namesCompany = isEditable(definition.fields.company_id)
  // Changes are counted from the values that the form was opened with, and their version is the lock.
  const [base, setBase] = useState<Base>(() => ({
    values: record
      ? recordValues(definition, record)
      : { ...newValues(definition, scope.filter), ...(namesCompany ? { company_id: owner } : {}), ...preset },
    version: definition.lock === false ? undefined : versionOf(record),
  }))
  const [isWriting, setWriting] = useState(false)
  const place = useNextPlace(definition, scope, record === undefined, preset)
  useEffect(() => {
    if (!place || form.getFieldValue(place.by) !== base.values[place.by]) return
    if (base.values[place.by] === place.value) return
    form.setFieldValue(place.by, place.value)
    setBase((before) => ({ ...before, values: { ...before.values, [place.by]: place.value } }))
  }, [place, base, form])
  const isDone = useRef(false)
  // The record was created but its links could not be written. The next attempt must not create a second one.
  const made = useRef<Row | undefined>(undefined)
  const read = useCallback(() => form.getFieldsValue(true) as Row, [form])
  const target = {
    resource: definition.name,
    meta: { table: tableOf(definition), companyId: definition.tenant === false ? null : scope.companyId },
  }
  // The page reads the record, follows it live and tells how the save went; Refine writes.
  const quiet = { invalidates: [], successNotification: false, errorNotification: false } as const
  const { onFinish } = useForm<BaseRecord, HttpError, Row>({
    ...quiet,
    invalidates: [],
    resource: target.resource,
    action: record ? 'edit' : 'create',
    ...(record ? { id: String(record.id) } : {}),
    redirect: false,
    queryOptions: { enabled: false },
    mutationMeta: { ...target.meta, version: record && base.version },
  })
  const again = useUpdate<BaseRecord, HttpError, Row>()

  const isDirty = useCallback(
    () => !isDone.current && changedFields(definition, base.values, read()).length > 0,
    [definition, base, read],
  )
  const newest = versionOf(record)
  const isOvertaken =
    !isWriting && base.version !== undefined && newest !== undefined && newest > base.version
  const theirs = isOvertaken && record ? recordValues(definition, record) : null
  // Nothing was edited yet, so the newer version replaces the old one. Or a machine changed a column that no
  // form shows: then the edits are kept on top of the newer version.
  useEffect(() => {
    if (!theirs) return
    const isTheirsNew = changedFields(definition, base.values, theirs).length > 0
    if (isDirty() && isTheirsNew) return
    if (isTheirsNew) form.setFieldsValue(theirs)
    setBase({ values: theirs, version: newest })
  }, [theirs, isDirty, form, newest, definition, base])

  const adopt = (values: Row) => {
    form.setFieldsValue(values)
    setBase({ values: theirs ?? base.values, version: newest })
  }

  const writeColumns = async (columns: Row, company: string): Promise<Row> => {
    if (made.current) {
      if (Object.keys(columns).length === 0) return { ...made.current }
      const id = String(made.current.id)
      const { data } = await again.mutateAsync({ ...quiet, ...target, invalidates: [], id, values: columns })
      return data as Row
    }
    if (record && Object.keys(columns).length === 0) return record
    const tenant = record || definition.tenant === false || namesCompany ? {} : { company_id: company }
    const answer = await onFinish(record ? columns : { ...filledValues(columns, base.values), ...tenant })
    const row = (answer as { data: Row }).data
    if (!record) made.current = row
    return row
  }

  const write = async (): Promise<Row> => {
    const values = read()
    const all = record ? changedFields(definition, base.values, values) : Object.keys(base.values)
    const changed = writtenFields(definition, all, { ...record, ...values }, scope.filter, refused)
    const company = String(record?.company_id ?? values.company_id ?? owner ?? '')
    setWriting(true)
    try {
      const columns = columnValues(definition, changed, values)
      // The keys that rows get are the form's too: a label that is changed before the next save keeps its key.
      for (const name of changed)
        if (hasKeys(definition.fields[name])) form.setFieldValue(name, columns[name])
      const saved = await writeColumns(columns, company)
      if (record)
        setBase({ values: { ...base.values, ...columns }, version: versionOf(saved) ?? base.version })
      const before = record ? base.values : {}
      await saveLinks(definition, { id: String(saved.id), companyId: company }, changed, before, values)
      return { ...values, ...saved, id: saved.id }
    } finally {
      setWriting(false)
    }
  }

  return {
    form,
    base: base.values,
    initialValues: {
      ...base.values,
      ...(owner && !namesCompany ? { company_id: owner } : {}),
      ...restored,
    },
    refused,
    needsCompany: !record && definition.tenant !== false && !owner && !namesCompany,
    isDirty,
    markDone: () => {
      isDone.current = true
    },
    theirs,
    takeTheirs: () => theirs && adopt(theirs),
    keepMine: () => theirs && adopt(mergeMine(definition, base.values, read(), theirs)),
    merge: adopt,
    read,
    write,
  }
}
