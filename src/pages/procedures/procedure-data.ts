import { supabase } from '@/data/client'
import { toDataError } from '@/data/errors'
import { callRpc } from '@/data/rpc'
import { type Parameter, type ParameterValues, toParameters } from './parameters'

export type ProcedureChoice = {
  id: string
  company_id: string
  name: string
  description: string | null
  type: string
  category: string | null
  timeout_seconds: number
  parameters: Parameter[]
}

type ProcedureRow = Omit<ProcedureChoice, 'parameters'> & { parameters: unknown }

const CHOICE = 'id,company_id,name,description,type,category,timeout_seconds,parameters'
const CHOICES = 30

const toChoice = (row: ProcedureRow): ProcedureChoice => ({
  ...row,
  parameters: toParameters(row.parameters),
})

export async function searchProcedures(text: string, companyId: string | null): Promise<ProcedureChoice[]> {
  const found = text.trim()
    ? supabase.rpc('search_procedures', { q: text.trim() }, { get: true }).select(CHOICE)
    : supabase.from('procedures').select(CHOICE)
  const scoped = companyId === null ? found : found.eq('company_id', companyId)
  const { data, error, status } = await scoped.order('name_key').limit(CHOICES)
  if (error) throw toDataError(error, status)
  return (data as unknown as ProcedureRow[]).map(toChoice)
}

export async function readProcedure(id: string): Promise<ProcedureChoice> {
  const { data, error, status } = await supabase
    .from('procedures')
    .select(CHOICE)
    .eq('id', id)
    .single<ProcedureRow>()
  if (error) throw toDataError(error, status)
  return toChoice(data)
}

export type RunRequest = { procedureId: string; deviceIds: string[]; parameters: ParameterValues }

/** Starts the job and gives its id. */
export const runProcedure = ({ procedureId, deviceIds, parameters }: RunRequest): Promise<string> =>
  callRpc<string>('run_procedure', { procedure_id: procedureId, device_ids: deviceIds, parameters })

/** A version without its script, which may be a quarter of a megabyte. */
export type ProcedureVersion = {
  id: string
  number: number
  type: string
  timeout_seconds: number
  created_at: string
  created_by: string | null
}

export type VersionContent = {
  number: number
  type: string
  script: string
  parameters: unknown
  timeout_seconds: number
}

const VERSIONS_SHOWN = 200

export async function readVersions(procedureId: string, companyId: string): Promise<ProcedureVersion[]> {
  const { data, error, status } = await supabase
    .from('procedure_versions')
    .select('id,number,type,timeout_seconds,created_at,created_by')
    .eq('company_id', companyId)
    .eq('procedure_id', procedureId)
    .order('number', { ascending: false })
    .limit(VERSIONS_SHOWN)
    .overrideTypes<ProcedureVersion[], { merge: false }>()
  if (error) throw toDataError(error, status)
  return data
}

export async function readVersion(id: string): Promise<VersionContent> {
  const { data, error, status } = await supabase
    .from('procedure_versions')
    .select('number,type,script,parameters,timeout_seconds')
    .eq('id', id)
    .single<VersionContent>()
  if (error) throw toDataError(error, status)
  return data
}
