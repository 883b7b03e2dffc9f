import { type TestBackend, testBackend } from './backend'

const shared: { backend?: Promise<TestBackend> } = {}

/** The demo data, on PGlite, for the files of a process that write nothing to it. */
export async function sharedDemo(): Promise<TestBackend> {
  if (process.env.TEST_POSTGRES === '1') return testBackend()
  shared.backend ??= testBackend()
  // It ends with the process.
  return { ...(await shared.backend), stop: async () => undefined }
}
