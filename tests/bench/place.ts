import { type Options, type ServerProcess, startServerProcess } from '../support/server-process'

/** A database that the benchmark compares with another, behind our server. */
export interface Place extends ServerProcess {
  name: string
}

export async function startPlace(name: string, options: Options): Promise<Place> {
  return { name, ...(await startServerProcess(options)) }
}
