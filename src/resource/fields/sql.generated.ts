/* Written by `npm run resource types`; edit resources/resource.schema.json’s sources instead. */
import type { FieldSql } from '@/resource/fields/field-sql'
import type { FieldType } from '@/resource/fields/kind'
import { sql as booleanKind } from '@/resource/fields/boolean/sql'
import { sql as bytesKind } from '@/resource/fields/bytes/sql'
import { sql as codeKind } from '@/resource/fields/code/sql'
import { sql as colorKind } from '@/resource/fields/color/sql'
import { sql as computedKind } from '@/resource/fields/computed/sql'
import { sql as dateKind } from '@/resource/fields/date/sql'
import { sql as datetimeKind } from '@/resource/fields/datetime/sql'
import { sql as diffKind } from '@/resource/fields/diff/sql'
import { sql as durationKind } from '@/resource/fields/duration/sql'
import { sql as emailKind } from '@/resource/fields/email/sql'
import { sql as enumKind } from '@/resource/fields/enum/sql'
import { sql as ipKind } from '@/resource/fields/ip/sql'
import { sql as jsonKind } from '@/resource/fields/json/sql'
import { sql as macKind } from '@/resource/fields/mac/sql'
import { sql as manyToManyKind } from '@/resource/fields/many-to-many/sql'
import { sql as markdownKind } from '@/resource/fields/markdown/sql'
import { sql as moneyKind } from '@/resource/fields/money/sql'
import { sql as numberKind } from '@/resource/fields/number/sql'
import { sql as percentKind } from '@/resource/fields/percent/sql'
import { sql as relationKind } from '@/resource/fields/relation/sql'
import { sql as roleKind } from '@/resource/fields/role/sql'
import { sql as rowsKind } from '@/resource/fields/rows/sql'
import { sql as tagsKind } from '@/resource/fields/tags/sql'
import { sql as textKind } from '@/resource/fields/text/sql'
import { sql as textareaKind } from '@/resource/fields/textarea/sql'
import { sql as timezoneKind } from '@/resource/fields/timezone/sql'
import { sql as urlKind } from '@/resource/fields/url/sql'
import { sql as userKind } from '@/resource/fields/user/sql'

export const FIELD_SQL = {
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
} satisfies { [Type in FieldType]: FieldSql<Type> }
