/* Written by `npm run resource types`; edit resources/resource.schema.json’s sources instead. */
import type { FieldKind, FieldType } from '@/resource/fields/kind-interface'
import { kind as answersKind } from '@/resource/fields/answers/kind'
import { kind as booleanKind } from '@/resource/fields/boolean/kind'
import { kind as codeKind } from '@/resource/fields/code/kind'
import { kind as colorKind } from '@/resource/fields/color/kind'
import { kind as computedKind } from '@/resource/fields/computed/kind'
import { kinds as dateKinds } from '@/resource/fields/date/kind'
import { kind as diffKind } from '@/resource/fields/diff/kind'
import { kinds as enumKinds } from '@/resource/fields/enum/kind'
import { kinds as fileKinds } from '@/resource/fields/file/kind'
import { kind as jsonKind } from '@/resource/fields/json/kind'
import { kind as markdownKind } from '@/resource/fields/markdown/kind'
import { kind as moneyKind } from '@/resource/fields/money/kind'
import { kinds as numberKinds } from '@/resource/fields/number/kind'
import { kinds as relationKinds } from '@/resource/fields/relation/kind'
import { kind as rowsKind } from '@/resource/fields/rows/kind'
import { kind as tagsKind } from '@/resource/fields/tags/kind'
import { kinds as textKinds } from '@/resource/fields/text/kind'
import { kind as timezoneKind } from '@/resource/fields/timezone/kind'

export const KINDS = {
  answers: answersKind,
  boolean: booleanKind,
  bytes: numberKinds.bytes,
  code: codeKind,
  color: colorKind,
  computed: computedKind,
  date: dateKinds.date,
  datetime: dateKinds.datetime,
  diff: diffKind,
  duration: numberKinds.duration,
  email: textKinds.email,
  enum: enumKinds.enum,
  file: fileKinds.file,
  image: fileKinds.image,
  ip: textKinds.ip,
  json: jsonKind,
  mac: textKinds.mac,
  'many-to-many': relationKinds['many-to-many'],
  markdown: markdownKind,
  money: moneyKind,
  number: numberKinds.number,
  percent: numberKinds.percent,
  relation: relationKinds.relation,
  role: enumKinds.role,
  rows: rowsKind,
  tags: tagsKind,
  text: textKinds.text,
  textarea: textKinds.textarea,
  timezone: timezoneKind,
  url: textKinds.url,
  user: relationKinds.user,
} satisfies { [Type in FieldType]: FieldKind<Type> }
