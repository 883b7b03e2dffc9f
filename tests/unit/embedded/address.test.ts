import { expect, it } from 'vitest'
import { proxyWarning } from '../../../supabase/embedded/http/address'

it.each([
  ['https://console.example.com', true],
  ['https://localhost', true],
  ['http://console.example.com', true],
  ['http://192.168.1.7:3000', true],
  ['http://localhost:3000', false],
  ['http://127.0.0.1:3000', false],
  ['http://[::1]:3000', false],
])('%s tells of a proxy in front: %s', (siteUrl, isTold) => {
  expect(proxyWarning(siteUrl)?.includes(`SITE_URL is ${siteUrl}, so a proxy`) ?? false).toBe(isTold)
})
