/* Written by `npm run resource types`; edit resources/resource.schema.json’s sources instead. */
import type { FieldType } from '@/resource/fields/kind-interface'
import type { FieldScript } from '@/resource/fields/script-interface'
import { script as answersScript } from '@/resource/fields/answers/script'
import { script as booleanScript } from '@/resource/fields/boolean/script'
import { script as codeScript } from '@/resource/fields/code/script'
import { script as colorScript } from '@/resource/fields/color/script'
import { script as computedScript } from '@/resource/fields/computed/script'
import { scripts as dateScripts } from '@/resource/fields/date/script'
import { script as diffScript } from '@/resource/fields/diff/script'
import { scripts as enumScripts } from '@/resource/fields/enum/script'
import { scripts as fileScripts } from '@/resource/fields/file/script'
import { script as jsonScript } from '@/resource/fields/json/script'
import { script as markdownScript } from '@/resource/fields/markdown/script'
import { script as moneyScript } from '@/resource/fields/money/script'
import { scripts as numberScripts } from '@/resource/fields/number/script'
import { scripts as relationScripts } from '@/resource/fields/relation/script'
import { script as rowsScript } from '@/resource/fields/rows/script'
import { script as tagsScript } from '@/resource/fields/tags/script'
import { scripts as textScripts } from '@/resource/fields/text/script'
import { script as timezoneScript } from '@/resource/fields/timezone/script'

export const SCRIPTS = {
  answers: answersScript,
  boolean: booleanScript,
  bytes: numberScripts.bytes,
  code: codeScript,
  color: colorScript,
  computed: computedScript,
  date: dateScripts.date,
  datetime: dateScripts.datetime,
  diff: diffScript,
  duration: numberScripts.duration,
  email: textScripts.email,
  enum: enumScripts.enum,
  file: fileScripts.file,
  image: fileScripts.image,
  ip: textScripts.ip,
  json: jsonScript,
  mac: textScripts.mac,
  'many-to-many': relationScripts['many-to-many'],
  markdown: markdownScript,
  money: moneyScript,
  number: numberScripts.number,
  percent: numberScripts.percent,
  relation: relationScripts.relation,
  role: enumScripts.role,
  rows: rowsScript,
  tags: tagsScript,
  text: textScripts.text,
  textarea: textScripts.textarea,
  timezone: timezoneScript,
  url: textScripts.url,
  user: relationScripts.user,
} satisfies { [Type in FieldType]: FieldScript<Type> }
