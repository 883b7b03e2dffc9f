/* Written by `npm run resource types`; edit resources/resource.schema.json’s sources instead. */

export type Icon =
  | 'alert'
  | 'apartment'
  | 'api'
  | 'appstore'
  | 'audit'
  | 'bank'
  | 'bar-chart'
  | 'bell'
  | 'book'
  | 'bug'
  | 'build'
  | 'bulb'
  | 'calendar'
  | 'car'
  | 'check'
  | 'check-circle'
  | 'clock-circle'
  | 'close'
  | 'cloud'
  | 'cluster'
  | 'code'
  | 'compass'
  | 'contacts'
  | 'container'
  | 'control'
  | 'credit-card'
  | 'customer-service'
  | 'dashboard'
  | 'database'
  | 'delete'
  | 'deployment-unit'
  | 'desktop'
  | 'dollar'
  | 'download'
  | 'environment'
  | 'experiment'
  | 'eye'
  | 'file'
  | 'file-text'
  | 'fire'
  | 'flag'
  | 'folder'
  | 'fund'
  | 'gift'
  | 'global'
  | 'hdd'
  | 'heart'
  | 'home'
  | 'idcard'
  | 'inbox'
  | 'insurance'
  | 'key'
  | 'laptop'
  | 'link'
  | 'lock'
  | 'mac-command'
  | 'mail'
  | 'message'
  | 'mobile'
  | 'notification'
  | 'partition'
  | 'pause'
  | 'phone'
  | 'picture'
  | 'play'
  | 'poweroff'
  | 'printer'
  | 'profile'
  | 'project'
  | 'read'
  | 'reload'
  | 'robot'
  | 'rocket'
  | 'safety'
  | 'safety-certificate'
  | 'scan'
  | 'schedule'
  | 'security-scan'
  | 'send'
  | 'setting'
  | 'shop'
  | 'shopping'
  | 'snippets'
  | 'solution'
  | 'star'
  | 'stop'
  | 'sync'
  | 'table'
  | 'tablet'
  | 'tag'
  | 'tags'
  | 'team'
  | 'thunderbolt'
  | 'tool'
  | 'trophy'
  | 'truck'
  | 'undo'
  | 'usb'
  | 'user'
  | 'video-camera'
  | 'wallet'
  | 'warning'
  | 'wifi'
/**
 * One field; its `type` decides which further keys it takes.
 */
export type Field =
  | BooleanField
  | BytesField
  | CodeField
  | ColorField
  | ComputedField
  | DateField
  | DatetimeField
  | DiffField
  | DurationField
  | EmailField
  | EnumField
  | IpField
  | JsonField
  | MacField
  | ManyToManyField
  | MarkdownField
  | MoneyField
  | NumberField
  | PercentField
  | RelationField
  | RoleField
  | RowsField
  | TagsField
  | TextField
  | TextareaField
  | TimezoneField
  | UrlField
  | UserField
export type Scalar = string | number | boolean | null
/**
 * A file of `src/pages` by `<area>/<name>`, for what JSON cannot express.
 */
export type Component = string
/**
 * The initial order: up to four sortable fields, separated by commas, `-` for descending: `-opened_at,name`.
 */
export type Sorting = string

/**
 * One resource of the console: its list, record, forms, filters, menu entry and actions. It is data, never code; `name` and `fields` are enough.
 */
export interface Definition {
  /**
   * Points an editor at this schema.
   */
  $schema?: string
  /**
   * The resource, which is also its table and its permission object: plural snake_case.
   */
  name: string
  /**
   * The table or view to read and write, if its name differs from the resource's. A view needs `with (security_invoker = true)`, or everybody would read every company's rows; `resource check` refuses it otherwise.
   */
  table?: string
  /**
   * Whether the table is a view. A view has no foreign keys, so the records that its relations and people point at are read by a request of their own; lists do not filter by their fields. `from-table` writes it, and `resource check` asks for it where a relation needs it.
   */
  view?: boolean
  /**
   * URL of the list. Default: the name in kebab-case. Addresses of the console's own pages, such as `settings`, are refused.
   */
  route?: string
  /**
   * The name for one, as the create URL uses it. Default: the name without its plural ending.
   */
  singular?: string
  /**
   * Whether the address of the create form is below the list's, as `/tickets/create-ticket`, for users who may open nothing else. Default: `/create-<singular>`.
   */
  create_below_list?: boolean
  /**
   * Its icon in the menu and in the palette. Default: a table.
   */
  icon?: Icon
  /**
   * The part of the menu that holds its entry; `none` for a list that is opened from elsewhere. Ignored with `parent`.
   */
  section?: 'main' | 'added' | 'bottom' | 'none'
  /**
   * The resource, or the page of `src/app/pages.tsx`, whose list has this one as a tab, instead of an entry in the menu.
   */
  parent?: string
  /**
   * Its place in its section of the menu, or among the tabs of its `parent`. Those without one follow, by name.
   */
  position?: number
  /**
   * A second permission object whose `list` its pages need, for rows that users read without having the pages: ticket categories are options in every user's form.
   */
  page_object?: string
  /**
   * Resources of the section `added` with one group are listed together in the menu, under its name: `groups.<group>` in `locales/<language>/resources/_shared.json`.
   */
  group?: string
  label?: Nouns
  /**
   * How one record is titled: a template over its fields, such as `{serial} · {model}`. A relation goes by the title of its record, a person by their name; empty parts between ` · ` are omitted. Default: its first text field.
   */
  title?: string
  /**
   * Whether rows belong to a company (`company_id`). False only for platform-wide tables.
   */
  tenant?: boolean
  /**
   * Whether an edit is refused when somebody else changed the row in the meantime (column `version`).
   */
  lock?: boolean
  /**
   * Whether open screens follow changes of the table live. For a view, the tables it reads: their messages name its rows.
   */
  live?: boolean | string[]
  /**
   * The license that includes it. Without the license, its pages show what it adds; the permission lines refuse access.
   */
  requires?: 'pro'
  /**
   * The fields by column name.
   */
  fields: {
    [k: string]: Field
  }
  /**
   * Sets of fields whose values together differ between the records of a company: `[["name", "site_id"]]`. A single field says `"unique": true` itself.
   *
   * @minItems 1
   */
  unique?: [[string, string, ...string[]], ...[string, string, ...string[]][]]
  /**
   * Records with the same `by` whose time must not overlap: `{ "by": "item_id", "from": "lent_on", "until": "returned_on" }` lends no item twice at once. Days count whole, so the last day of one record is not the first of another; a moment may be both. Held by an exclusion constraint, which needs the extension `btree_gist`.
   */
  no_overlap?: Overlap
  /**
   * The list page; `false` for a resource that other screens only refer to.
   */
  list?: false | List
  /**
   * The record page; `false` for none.
   */
  show?: false | Show
  /**
   * The create and edit forms; `false` for a resource that is only read.
   */
  form?: false | Form
  /**
   * Whether records are created in the console.
   */
  create?: boolean
  /**
   * Whether records are edited in the console.
   */
  edit?: boolean
  /**
   * Whether records are deleted in the console.
   */
  delete?: boolean
  /**
   * Whether the record's menu offers to duplicate it.
   */
  duplicate?: boolean
  /**
   * Whether records are imported from files. Not for resources that a function writes, such as views.
   */
  import?: boolean
  /**
   * Actions on a record besides editing it.
   */
  actions?: {
    [k: string]: Action
  }
}
/**
 * Singular and plural in each language: `{ "en": ["Printer", "Printers"], "tr": ["Yazıcı", "Yazıcılar"] }`.
 */
export interface Nouns {
  /**
   * @minItems 2
   * @maxItems 2
   */
  en?: [string, string]
  /**
   * @minItems 2
   * @maxItems 2
   */
  tr?: [string, string]
}
/**
 * Yes or no.
 */
export interface BooleanField extends CommonOptions {
  type: 'boolean'
  default?: boolean
  /**
   * Color of yes in lists and records, where yes is good or bad news.
   */
  yes?: 'default' | 'gray' | 'green' | 'red' | 'orange' | 'gold' | 'blue' | 'cyan' | 'purple' | 'magenta'
  /**
   * Color of no.
   */
  no?: 'default' | 'gray' | 'green' | 'red' | 'orange' | 'gold' | 'blue' | 'cyan' | 'purple' | 'magenta'
}
export interface CommonOptions {
  label?: Words
  help?: Words
  /**
   * Whether a value is required.
   */
  required?: boolean
  /**
   * Read-only: the agent or the database writes it.
   */
  readonly?: boolean
  /**
   * Set when the record is created and fixed afterwards.
   */
  once?: boolean
  /**
   * Whether no two records of a company have the same value. Case and spaces around it do not count, `I`, `İ`, `ı` and `i` are one letter, accents count. Empty values do not count. Held by a unique index.
   */
  unique?: boolean
  /**
   * Whether the search box finds records by it.
   */
  search?: boolean
  /**
   * Whether the list sorts by it; a string names the column to sort by.
   */
  sort?: boolean | string
  /**
   * Every list filters by every field that it can. `true` always shows the filter, others are added from a menu; `false` removes it.
   */
  filter?: boolean
  /**
   * Shown, and required, only while the record matches this. A constraint of the table holds it too, unless it asks for `$now` or `$user`.
   */
  when?: Filter
  /**
   * A condition on its value; `$record.<field>` compares with another field, and `$record.<relation>.<field>` with one of the record that a relation points at: `{ "_lte": "$record.license_id.seats" }`. The database holds it too, unless it asks for `$now` or `$user`: then only the form does.
   */
  check?: Condition
  /**
   * Shown instead of the general text when a value breaks the field's `check` or `pattern`, or is not `unique`: `{ "en": "…", "tr": "…" }`. Of a set of `unique` fields, the last one's.
   */
  message?: Words
  from?: Source
  guard?: Guard
  component?: Component
}
/**
 * A text in each language. Default: the text in `locales/<language>/resources/<resource>.json`.
 */
export interface Words {
  en?: string
  tr?: string
}
/**
 * Conditions on fields, all of which must hold; `_and` and `_or` group further filters.
 */
export interface Filter {
  _and?: Filter[]
  _or?: Filter[]
  [k: string]: Condition | Filter[] | undefined
}
/**
 * Comparisons with a value, or with `$user`, `$now` (also `$now-30d`, `$now+2h`) or `$record.<field>`.
 */
export interface Condition {
  _eq?: Scalar
  _neq?: Scalar
  _lt?: Scalar
  _lte?: Scalar
  _gt?: Scalar
  _gte?: Scalar
  _in?: Scalar[]
  _nin?: Scalar[]
  _contains?: string
  /**
   * Of tags: has at least one of these.
   */
  _has_any?: string[]
  /**
   * Of tags: has each of these.
   */
  _has_all?: string[]
  /**
   * Of tags: whether there are no tags, as null or as an empty list.
   */
  _empty?: boolean
  /**
   * Of many-to-many fields: linked to none of these records; with an empty list, to none at all. Only rules of groups take it, which the database evaluates: PostgREST cannot say it under `_or`, so `resource check` refuses it in a definition.
   */
  _none?: string[]
  _null?: boolean
}
/**
 * The source of a read-only field that is in another table.
 */
export interface Source {
  table: string
  column: string
  /**
   * The foreign key to use, if there is more than one.
   */
  constraint?: string
}
/**
 * Permissions this field needs besides the record's own. `read`: it is left out of screens without the permission; a value that must not be read at all belongs in a separate table (`from`) with its own policies. `write`: it is read-only in forms without it, and a trigger of the table refuses the change.
 */
export interface Guard {
  read?: Policy
  write?: Policy
}
/**
 * The required permission, if it is not this resource's own.
 */
export interface Policy {
  object: string
  verb: string
}
/**
 * An amount of data, stored in the given unit and shown in the one that fits.
 */
export interface BytesField extends CommonOptions {
  type: 'bytes'
  /**
   * Smallest value.
   */
  min?: number
  /**
   * Largest value.
   */
  max?: number
  default?: number
  /**
   * What the column counts. Default B.
   */
  unit?: 'B' | 'kB' | 'MB' | 'GB'
}
/**
 * A script or configuration, edited with highlighting.
 */
export interface CodeField extends CommonOptions {
  type: 'code'
  /**
   * Most characters.
   */
  max_length?: number
  default?: string
  /**
   * python, shell, powershell, batch, json, or `$record.<field>` to follow another field.
   */
  language?: string
}
/**
 * A color, stored as `#rrggbb`.
 */
export interface ColorField extends CommonOptions {
  type: 'color'
  default?: string
}
/**
 * A value that the database derives; shown as the named kind.
 */
export interface ComputedField extends CommonOptions {
  type: 'computed'
  as?: 'text' | 'number' | 'bytes' | 'percent' | 'duration' | 'boolean' | 'date' | 'datetime'
}
/**
 * A day.
 */
export interface DateField extends CommonOptions {
  type: 'date'
  default?: string
  /**
   * A past day is shown in red, and one within so many days in orange: for an end or a renewal.
   */
  warn_days?: number
  /**
   * Colors the value by `warn_days` only while the record matches this: a loan that was returned is not late any more, `{ "returned_on": { "_null": true } }`. It may not ask for `$user`.
   */
  color_when?: Filter
}
/**
 * A moment, shown in the user's time zone.
 */
export interface DatetimeField extends CommonOptions {
  type: 'datetime'
  /**
   * Shown as time passed, with the moment on hover.
   */
  relative?: boolean
  /**
   * The boolean field that says that the moment is one time of day by many clocks: shown as it is in `Etc/GMT-14`, where a day begins first.
   */
  local_when?: string
  /**
   * In a list and beside a title, shown as a tag of this color with the field's label, as long as the moment is still to come; nothing afterwards.
   */
  until?: 'default' | 'gray' | 'green' | 'red' | 'orange' | 'gold' | 'blue' | 'cyan' | 'purple' | 'magenta'
  default?: string
}
/**
 * What a change changed: `{ field: [before, after] }`. Shown as a table, never edited.
 */
export interface DiffField extends CommonOptions {
  type: 'diff'
  /**
   * The field that names the table whose row was changed. Default `table_name`.
   */
  of?: string
}
/**
 * A span of time in seconds.
 */
export interface DurationField extends CommonOptions {
  type: 'duration'
  /**
   * Smallest value.
   */
  min?: number
  /**
   * Largest value.
   */
  max?: number
  default?: number
}
/**
 * An e-mail address.
 */
export interface EmailField extends CommonOptions {
  type: 'email'
  /**
   * Maximum number of characters.
   */
  max_length?: number
  default?: string
}
/**
 * One of a fixed set of values.
 */
export interface EnumField extends CommonOptions {
  type: 'enum'
  /**
   * The values with their color, in order.
   */
  values: {
    [k: string]:
      'default' | 'gray' | 'green' | 'red' | 'orange' | 'gold' | 'blue' | 'cyan' | 'purple' | 'magenta'
  }
  default?: string
  /**
   * Whether it is a live state, such as online: a dot is shown before the word.
   */
  state?: boolean
  /**
   * Permissions that some values need: who lacks one is not offered the value. The database has to refuse it too.
   */
  needs?: {
    [k: string]: Policy
  }
}
/**
 * An IPv4 or IPv6 address.
 */
export interface IpField extends CommonOptions {
  type: 'ip'
  /**
   * Maximum number of characters.
   */
  max_length?: number
  default?: string
}
/**
 * Any JSON value.
 */
export interface JsonField extends CommonOptions {
  type: 'json'
  default?: unknown
}
/**
 * A hardware address.
 */
export interface MacField extends CommonOptions {
  type: 'mac'
  /**
   * Maximum number of characters.
   */
  max_length?: number
  default?: string
}
/**
 * Records of another resource, joined through a table between the two.
 */
export interface ManyToManyField extends CommonOptions {
  type: 'many-to-many'
  /**
   * The resource at the other end.
   */
  to: string
  /**
   * The table between.
   */
  through: string
  /**
   * Its column that points here.
   */
  near: string
  /**
   * Its column that points at the other end.
   */
  far: string
  /**
   * Which records may be chosen.
   */
  where?: Filter
}
/**
 * Text with headings, lists, links, emphasis and code, written in Markdown. HTML in it stays text.
 */
export interface MarkdownField extends CommonOptions {
  type: 'markdown'
  /**
   * Most characters.
   */
  max_length?: number
  default?: string
  /**
   * Height of the editor in lines. Default 8.
   */
  rows?: number
}
/**
 * An amount of money, to two decimals.
 */
export interface MoneyField extends CommonOptions {
  type: 'money'
  /**
   * Smallest amount.
   */
  min?: number
  /**
   * Largest amount.
   */
  max?: number
  default?: number
  /**
   * The ISO code, such as `TRY`, or `$record.<field>` to follow another field.
   */
  currency: string
}
/**
 * A number.
 */
export interface NumberField extends CommonOptions {
  type: 'number'
  /**
   * Smallest value.
   */
  min?: number
  /**
   * Largest value.
   */
  max?: number
  default?: number
  /**
   * Digits after the point. Default 0.
   */
  decimals?: number
  /**
   * Whether thousands are set apart; false for a number that is a name, such as an event id.
   */
  grouping?: boolean
  /**
   * Whether it is the exit code of a program: those of Windows crashes are shown as 0xC0000005.
   */
  exit_code?: boolean
  /**
   * Written after it.
   */
  unit?: string
  /**
   * Shows a negative value in red as the number above the limit. For fields that hold the remainder of a limit.
   */
  over?: boolean
  /**
   * Colors the value by `over` only while the record matches this: a loan that was returned is not late any more, `{ "returned_on": { "_null": true } }`. It may not ask for `$user`.
   */
  color_when?: Filter
  /**
   * The records that the number counts: those of `resource` whose field `by` points to this record, as far as they match `filter`. For users who may list them, the number links to that list.
   */
  counts?: {
    /**
     * The resource whose records are counted.
     */
    resource: string
    /**
     * Its field that points to this record.
     */
    by: string
    filter?: Filter
  }
}
/**
 * A share from 0 to 100.
 */
export interface PercentField extends CommonOptions {
  type: 'percent'
  /**
   * Smallest value.
   */
  min?: number
  /**
   * Largest value.
   */
  max?: number
  default?: number
  decimals?: number
  /**
   * Draws the share as a bar, colored by how high it is.
   */
  thresholds?: {
    /**
     * From here on the bar is orange.
     */
    warning: number
    /**
     * From here on the bar is red.
     */
    critical: number
  }
  /**
   * In an inner table: computes the used share from two columns of the row, such as free and total space, where the row holds no share of its own.
   */
  used?: {
    free: string
    total: string
  }
  /**
   * Colors the value by `thresholds` only while the record matches this: a loan that was returned is not late any more, `{ "returned_on": { "_null": true } }`. It may not ask for `$user`.
   */
  color_when?: Filter
}
/**
 * A record of another resource. A role that may not `list` that resource reads “Not visible to you”.
 */
export interface RelationField extends CommonOptions {
  type: 'relation'
  /**
   * The resource it points at.
   */
  to: string
  /**
   * Which records may be chosen.
   */
  where?: Filter
  /**
   * The foreign key, when its name is not the usual one.
   */
  constraint?: string
  /**
   * What happens to this record when the one it points at is deleted: the other cannot be deleted, the field is emptied, or this record is deleted with it. Default: `restrict` for a required field, otherwise `set_null`.
   */
  on_delete?: 'restrict' | 'set_null' | 'cascade'
  default?: string
}
/**
 * A role of `policies/`. Users choose only roles whose permissions their own role has all; the function or trigger that stores it has to refuse the others, as it does for `user_roles`.
 */
export interface RoleField extends CommonOptions {
  type: 'role'
  default?: string
}
/**
 * A small table inside the record, stored as a JSON array of objects.
 */
export interface RowsField extends CommonOptions {
  type: 'rows'
  /**
   * The columns of the inner table.
   */
  fields: {
    [k: string]: Field
  }
  default?: unknown[]
}
/**
 * A list of words.
 */
export interface TagsField extends CommonOptions {
  type: 'tags'
  suggestions?: string[]
  /**
   * Whether only the suggestions may be chosen. Their labels are in the texts of the resource, under `values`.
   */
  closed?: boolean
  default?: string[]
}
/**
 * One line of text.
 */
export interface TextField extends CommonOptions {
  type: 'text'
  /**
   * Maximum number of characters.
   */
  max_length?: number
  default?: string
  /**
   * Regular expression that the text must match: `^[A-Z]{3}$`. Without `^` and `$`, a part of the text is enough. The browser and PostgreSQL both read it, so `resource check` refuses what they read differently, such as `\b`, and what can freeze a browser, such as `(a+)+`. In the database `\w` also takes letters such as `ş`.
   */
  pattern?: string
  /**
   * Offers a copy button.
   */
  copy?: boolean
  /**
   * Common values, offered by the input and as exact choices of the filter.
   */
  suggestions?: string[]
  /**
   * Links the text to the record whose table and id two other fields hold.
   */
  record?: {
    table: string
    id: string
  }
  /**
   * Shows sentences that the database or a device writes in English in the reader's language, as `phrases` in `locales/<language>/resources/_shared.json` translates them: `{{name}}` matches any text, `{{count, number}}` a number.
   */
  phrases?: boolean
}
/**
 * Several lines of text.
 */
export interface TextareaField extends CommonOptions {
  type: 'textarea'
  /**
   * Maximum number of characters.
   */
  max_length?: number
  default?: string
  rows?: number
  /**
   * Shows sentences that the database or a device writes in English in the reader's language, as `phrases` in `locales/<language>/resources/_shared.json` translates them: `{{name}}` matches any text, `{{count, number}}` a number.
   */
  phrases?: boolean
}
/**
 * A time zone by its IANA name, such as `Europe/Istanbul`.
 */
export interface TimezoneField extends CommonOptions {
  type: 'timezone'
  default?: string
}
/**
 * A web address.
 */
export interface UrlField extends CommonOptions {
  type: 'url'
  /**
   * Maximum number of characters.
   */
  max_length?: number
  default?: string
}
/**
 * A person with an account. A role sees whom it names with the permission line `profiles, list`.
 */
export interface UserField extends CommonOptions {
  type: 'user'
  constraint?: string
  default?: string
}
export interface Overlap {
  /**
   * The field, or the fields, whose value the records share.
   */
  by: string | [string, ...string[]]
  /**
   * The field of kind date or datetime with which the time begins. A record without it overlaps nothing.
   */
  from: string
  /**
   * The field of the same kind with which it ends; empty for a time that has not ended. It needs a `check` that it is not before `from`.
   */
  until: string
}
export interface List {
  /**
   * Fields in order, the record's name first; `relation.field` shows one of the record a relation points at, and filters by it. It never sorts: an order over another table has no index that a page could be read from. Default: the first six fields.
   *
   * @minItems 1
   */
  columns?: [string | Column, ...(string | Column)[]]
  sort?: Sorting
  /**
   * Always applied, in addition to the user's filters.
   */
  filter?: Filter
  /**
   * Applied until the user filters by one of its fields or opens a view that does: what is rarely looked for is left out, and one filter away.
   */
  default_filter?: Filter
  views?: {
    [k: string]: View
  }
  /**
   * The view that the list opens with, for users who have no saved view as their default.
   */
  default_view?: string
  /**
   * Whether the database has `search_<table>(q)`. Default: when a field says `search`.
   */
  search?: boolean
  /**
   * Route of the resource whose record page a row leads to, where both read the same table: `devices`. Default: the record's own page.
   */
  opens?: string
  page_size?: 10 | 20 | 50 | 100
  component?: Component
  /**
   * The text for an empty list.
   */
  empty?: Words
}
export interface Column {
  /**
   * The field, or `relation.field` of the related record.
   */
  field: string
  /**
   * Width in pixels.
   */
  width?: number
  /**
   * Further fields shown in the same cell, in smaller type.
   */
  with?: string[]
}
/**
 * A named filter above the list. With a `policy`, only for users who have that permission; it hides no rows.
 */
export interface View {
  label?: Words
  filter: Filter
  sort?: Sorting
  policy?: Policy
}
export interface Show {
  sections?: Sections
  /**
   * Further tabs after the overview. One called `overview` or `activity` replaces the generated tab of that name.
   */
  tabs?: {
    [k: string]: Tab
  }
  /**
   * Whether each of these tabs has its own address, `/<route>/{id}/<tab>`, instead of `?tab=`.
   */
  tab_urls?: boolean
  /**
   * Lists of records that refer to this one, one tab per list, named like the resource; a text under `tabs` with the resource's name names it otherwise.
   */
  related?: Related[]
  /**
   * Fields shown next to the title.
   */
  summary?: string[]
  /**
   * Whether a tab shows who changed what and when; only for tables in the audit log.
   */
  activity?: boolean
  component?: Component
}
/**
 * Rows of fields by section: `"serial model"` puts two fields side by side. The title of a section is in the texts of the resource, under `sections`.
 */
export interface Sections {
  [k: string]: string[]
}
/**
 * Sections, or a component. Its label is in the texts of the resource, under `tabs`.
 */
export interface Tab {
  sections?: Sections
  component?: Component
  policy?: Policy
}
export interface Related {
  /**
   * The resource whose records are listed.
   */
  resource: string
  /**
   * Its field that points here.
   */
  by: string
  /**
   * Whether a record can be created from here for this one, if the user may.
   */
  create?: boolean
}
export interface Form {
  sections?: Sections
  /**
   * Instead of sections: one step after the other, each checked before the next.
   */
  steps?: FormParts
  /**
   * Instead of sections: tabs, in any order.
   */
  tabs?: FormParts
  /**
   * Lists of records that refer to this one and are edited in its form, such as the lines of a contract.
   *
   * @minItems 1
   */
  children?: [Children, ...Children[]]
  /**
   * The action of this resource that follows the creation of a record, where the record meets its `when`.
   */
  after_create?: string
  /**
   * The tab on which the page of a new record opens. Default: the overview.
   */
  after_create_tab?: string
  component?: Component
}
export interface FormParts {
  [k: string]: FormPart
}
/**
 * One step or tab of a form. Its label is in the texts of the resource, under `steps` or `tabs`.
 */
export interface FormPart {
  sections: Sections
}
/**
 * The first 100 records are edited; a record with more shows the others in its own list. All changes of the list are saved together, after the record itself.
 */
export interface Children {
  /**
   * The resource whose records are edited.
   */
  resource: string
  /**
   * Its relation that points here.
   */
  by: string
  /**
   * Its fields to edit, in order. Default: those of its own form, without large ones such as scripts.
   *
   * @minItems 1
   */
  fields?: [string, ...string[]]
}
export interface Action {
  label?: Words
  /**
   * Its icon in menus and on buttons. Default: none.
   */
  icon?: Icon
  /**
   * Where it is offered: in a row's menu, over the selected rows, on the record's page.
   *
   * @minItems 1
   */
  on: ['row' | 'bulk' | 'record', ...('row' | 'bulk' | 'record')[]]
  /**
   * The database function it calls.
   */
  rpc?: string
  /**
   * Arguments besides the parameters; `$id` and `$ids` are replaced by the selected records. Default: `{ "ids": "$ids" }`.
   */
  args?: {
    [k: string]: Scalar
  }
  component?: Component
  policy?: Policy
  /**
   * Offered only for records that match this.
   */
  when?: Filter
  /**
   * Whether it asks first. Default: when it is dangerous.
   */
  confirm?: boolean
  /**
   * Whether it removes something.
   */
  danger?: boolean
  /**
   * Whether its function leaves a record that does not match `when` as it is: over selected rows, such a record counts as unchanged instead of refused.
   */
  repeatable?: boolean
  /**
   * Whether its dialog takes the list's filter for all matching rows, however many there are. Otherwise it gets at most 1,000 records.
   */
  matching?: boolean
  /**
   * The fields of its dialog; sent as the function's arguments.
   */
  params?: {
    [k: string]: Field
  }
}
