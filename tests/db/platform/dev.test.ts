import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Copy, makeCopy } from '../../e2e/support/copy'

let copy: Copy
let url: string

beforeAll(async () => {
  copy = await makeCopy()
  url = await copy.start('dev', '--empty')
})
afterAll(() => copy?.remove())

const text = async (path: string) => {
  const response = await fetch(`${url}${path}`)
  expect(response.status, path).toBe(200)
  return response.text()
}
const versions = async () => {
  const [, content = ''] = /name="konsol-console" content='([^']*)'/.exec(await text('/')) ?? []
  return JSON.parse(content.replaceAll('&quot;', '"')) as { definitions: string }
}

it('npm run dev serves pages, their sources and the API, and follows an edited definition', async () => {
  expect(await text('/devices')).toContain('src="/src/main.tsx"')
  expect(await text('/src/main.tsx')).toContain('createRoot')
  expect(await text('/healthz')).toBeTruthy()
  expect((await fetch(`${url}/rest/v1/devices`)).status).toBe(401)

  const before = await versions()
  const file = join(copy.root, 'resources/groups.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace('"sort": "name"', '"sort": "-name"'))
  await expect.poll(async () => (await versions()).definitions).not.toBe(before.definitions)
  const { definitions } = await versions()
  expect(await text(`/definitions.json?v=${definitions}`)).toContain('"sort":"-name"')
})
