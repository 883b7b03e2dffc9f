/* Written by `npm run resource types`; edit resources/resource.schema.json’s sources instead. */
import type { FieldKind } from '@/resource/fields/kind'
import type { FieldType } from '@/resource/fields/kind'
import { kind as booleanKind } from '@/resource/fields/boolean/manifest'
import { kind as bytesKind } from '@/resource/fields/bytes/manifest'
import { kind as codeKind } from '@/resource/fields/code/manifest'
import { kind as colorKind } from '@/resource/fields/color/manifest'
import { kind as computedKind } from '@/resource/fields/computed/manifest'
import { kind as dateKind } from '@/resource/fields/date/manifest'
import { kind as datetimeKind } from '@/resource/fields/datetime/manifest'
import { kind as diffKind } from '@/resource/fields/diff/manifest'
import { kind as durationKind } from '@/resource/fields/duration/manifest'
import { kind as emailKind } from '@/resource/fields/email/manifest'
import { kind as enumKind } from '@/resource/fields/enum/manifest'
import { kind as ipKind } from '@/resource/fields/ip/manifest'
import { kind as jsonKind } from '@/resource/fields/json/manifest'
import { kind as macKind } from '@/resource/fields/mac/manifest'
import { kind as manyToManyKind } from '@/resource/fields/many-to-many/manifest'
import { kind as markdownKind } from '@/resource/fields/markdown/manifest'
import { kind as moneyKind } from '@/resource/fields/money/manifest'
import { kind as numberKind } from '@/resource/fields/number/manifest'
import { kind as percentKind } from '@/resource/fields/percent/manifest'
import { kind as relationKind } from '@/resource/fields/relation/manifest'
import { kind as roleKind } from '@/resource/fields/role/manifest'
import { kind as rowsKind } from '@/resource/fields/rows/manifest'
import { kind as tagsKind } from '@/resource/fields/tags/manifest'
import { kind as textKind } from '@/resource/fields/text/manifest'
import { kind as textareaKind } from '@/resource/fields/textarea/manifest'
import { kind as timezoneKind } from '@/resource/fields/timezone/manifest'
import { kind as urlKind } from '@/resource/fields/url/manifest'
import { kind as userKind } from '@/resource/fields/user/manifest'

export const KINDS = {
  boolean: booleanKind,
  bytes: bytesKind,
  code: codeKind,
  color: colorKind,
  computed: computedKind,
  date: dateKind,
  datetime: datetimeKind,
  diff: diffKind,
  duration: durationKind,
  email: emailKind,
  enum: enumKind,
  ip: ipKind,
  json: jsonKind,
  mac: macKind,
  'many-to-many': manyToManyKind,
  markdown: markdownKind,
  money: moneyKind,
  number: numberKind,
  percent: percentKind,
  relation: relationKind,
  role: roleKind,
  rows: rowsKind,
  tags: tagsKind,
  text: textKind,
  textarea: textareaKind,
  timezone: timezoneKind,
  url: urlKind,
  user: userKind,
} satisfies { [Type in FieldType]: FieldKind<Type> }
