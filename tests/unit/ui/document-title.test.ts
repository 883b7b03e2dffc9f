import { expect, it } from 'vitest'
import { documentTitle } from '@/ui/document-title'

it('the document’s title ends with the product, which is named once', () => {
  expect(documentTitle('Devices')).toBe('Devices · Konsol')
  expect(documentTitle('Konsol')).toBe('Konsol')
})
