import { type Options, type ServerProcess, startServerProcess } from '../support/server-process'

/** One of the databases the benchmark compares, behind our server. */
export interface Place extends ServerProcess {
  name: string
}

export async function startPlace(name: string, options: Options): Promise<Place> {
  return { name, ...(await startServerProcess(options)) }
}
