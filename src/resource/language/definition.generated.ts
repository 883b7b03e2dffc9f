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
  | AnswersField
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
  | FileField
  | ImageField
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
   * URL of the list. Default: the name in kebab-case. Addresses of the console's own pages, such as `settings`, are refused. With a second part it is below another list, as `tickets/articles`, for users who may open nothing else.
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
   * The resource, or the page of `src/app/pages.tsx`, whose list has this one as a tab, instead of an entry in the menu. A tab may have tabs of its own, in a second row.
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
   * Rows that a permission line may be limited to, by name: `{ "own": { "owner_id": { "_eq": "$user" } } }` and `p, Standard, loans, list, allow, own`. A role with a line without a rule sees all rows, otherwise those of any of its rules. `npm run resource migrate` writes them into row-level security. Each branch of `_or` needs a comparison by `_eq` or `_in` with an indexed field, or `_contains` of `$user` on a many-to-many field to `users`; `$record` and `$now` are refused, and so are operators that row-level security could not answer by an index.
   */
  rules?: {
    [k: string]: Filter
  }
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
  locked?: Locked
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
   * Whether people write comments on a record: a thread with Markdown, mentions and live presence. `npm run resource migrate` makes the table `<singular>_comments`. Whoever sees the record reads them; the verb `comment` of the resource writes them.
   */
  comments?: boolean | Comments
  /**
   * Actions on a record besides editing it.
   */
  actions?: {
    [k: string]: Action
  }
  /**
   * Whether a deleted record goes to the trash instead: it is hidden everywhere, as if it were gone, and whoever may delete it restores it within 30 days, or deletes it for good. Its comments, files and links stay with it. A name that has to be `unique` may be taken meanwhile; restoring the record then says so. Records that are deleted with it (`on_delete: cascade`) need `trash` too. `migrate` writes the columns `deleted_at`, `deleted_by` and `deleted_name`, `app.keep_trash()` and the policies that hide the record.
   */
  trash?: boolean
  /**
   * Whether a tab of the record holds files: photos, invoices, logs. Whoever may read the record may read them; whoever may edit it adds and deletes, and everybody deletes their own. They go with the record. `migrate` writes `app.keep_files()`, which the table needs.
   */
  attachments?: boolean
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
 * Answers to questions that another record asks, stored by key as JSON: a ticket answers those of its category. The form is a field of kind rows with the columns key, label, kind, required and options; kind is text, textarea, number, date, enum or checkbox.
 */
export interface AnswersField extends CommonOptions {
  type: 'answers'
  /**
   * The questions: `$record.<relation>.<field>`, a field of kind rows of the record that the relation points at.
   */
  form: string
  /**
   * The form takes the record without answers to required questions.
   */
  partial?: boolean
}
export interface CommonOptions {
  label?: Words
  help?: Words
  /**
   * The word for records without a value, as a column of a board and in figures: `Unassigned`. Default: `No value`.
   */
  none?: Words
  /**
   * Whether a value is required.
   */
  required?: boolean
  /**
   * Whether the database fills it in where a new record has none, such as a priority that follows from the type of issue. No record is without a value, so a bulk edit does not offer to clear it.
   */
  filled?: boolean
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
 * Comparisons with a value, or with `$user` (also `$user.role`), `$now` (also `$now-30d`, `$now+2h`) or `$record.<field>`.
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
 * Permissions this field needs besides the record's own. `read`: the value reaches nobody without the permission. The database keeps it in a table of its own, `<table>_hidden_<field>`, and `npm run resource migrate` moves it there; those who may read it filter, sort, search and import it like any other, without an index; it is not unique or required, and no list, view or figure that everybody is shown asks for it. `show`: screens leave it out without the permission, and the API still returns it; for a value that the database derives, such as a counter of records that some roles may not list, which is no secret and cannot be kept apart. `write`: it is read-only in forms without it, and a trigger of the table refuses the change.
 */
export interface Guard {
  read?: Policy
  show?: Policy
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
  /**
   * Shown as the time that is left, which ticks, and as the time since when it has passed: for the end of a deadline. In orange within the last hour, in red afterwards.
   */
  countdown?: boolean
  /**
   * Counts down only while the record matches this, and shows the moment otherwise: the clock of a ticket that is closed stands still. It may not ask for `$user`.
   */
  color_when?: Filter
  /**
   * While the record matches this, its clock is paused: a `countdown` is shown as paused, with the moment on hover in a list and beside it elsewhere. It may not ask for `$user`.
   */
  paused_when?: Filter
  /**
   * Other countdowns of the record. A list shows the earliest of those that count down, with its label where it is another one.
   *
   * @minItems 1
   */
  or_earlier?: [string, ...string[]]
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
 * A span of time. People type `45 min`, `1:30`, `1h 30m` or `1.5 h`; a number alone counts in the unit of the column.
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
  /**
   * What the column counts. Default s.
   */
  unit?: 's' | 'min'
  /**
   * Whether it is written in hours and never in days, such as business time, whose days have fewer hours than 24.
   */
  in_hours?: boolean
  /**
   * Two `datetime` fields between which it is, such as `["started_at", "ended_at"]`, for a read-only field. A form that names it takes the span typed: a new record ends now and began that long ago, unless somebody has typed when it began; otherwise its end follows. Only the two moments are written.
   *
   * @minItems 2
   * @maxItems 2
   */
  between?: [string, string]
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
   * Whether the values are languages, such as `en` and `tr`: the form of a new record begins with the one that its author uses the console in.
   */
  languages?: boolean
  /**
   * Whether it is a live state, such as online: a dot is shown before the word.
   */
  state?: boolean
  /**
   * While the record matches this, its clock is paused: the value is followed by the word paused. It may not ask for `$user`.
   */
  paused_when?: Filter
  /**
   * Permissions that some values need: who lacks one is not offered the value. The database has to refuse it too.
   */
  needs?: {
    [k: string]: Policy
  }
  /**
   * Values that only the database gives, such as `split_from`: they are shown and filtered by, and offered to nobody who chooses. The database has to refuse them too.
   *
   * @minItems 1
   */
  automatic?: [string, ...string[]]
}
/**
 * One file, which goes with the record. Several files of a record are its `attachments`. Whoever may read the record may read the file. Its type is decided by the content; programs, scripts and shortcuts are refused.
 */
export interface FileField extends CommonOptions {
  type: 'file'
  /**
   * The largest file, in megabytes. The limit of the server counts as well (`FILE_MAX_MB`, 25).
   */
  max_mb?: number
  /**
   * The families of files that it takes. Default: all.
   *
   * @minItems 1
   */
  accept?: [
    'image' | 'pdf' | 'document' | 'spreadsheet' | 'archive' | 'media' | 'text' | 'other',
    ...('image' | 'pdf' | 'document' | 'spreadsheet' | 'archive' | 'media' | 'text' | 'other')[]
  ]
}
/**
 * One raster image, shown by a preview that the browser makes when it is uploaded.
 */
export interface ImageField extends CommonOptions {
  type: 'image'
  /**
   * The largest file, in megabytes. The limit of the server counts as well (`FILE_MAX_MB`, 25).
   */
  max_mb?: number
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
   * Shows the record with the color that this field of kind color holds there: a status of a company.
   */
  color?: string
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
  /**
   * Whether somebody gets the permissions of the role by it. A field with `false` only names a role, such as who is asked: every role whose people belong to a company is offered.
   */
  grants?: boolean
  /**
   * A permission that the role must have on every record: roles without it are not offered. The database has to refuse them too.
   */
  may?: Policy
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
  /**
   * Columns that identify a row, by name with the column of text that each is made from: `{ "key": "label" }`. Nobody types or sees them: *Diş hekimi* gets `dis_hekimi` when it is first saved, a second one `dis_hekimi_2`, and another label changes neither.
   */
  keys?: {
    [k: string]: string
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
 * A person with an account. A role sees whom it names with the permission line `people, list`.
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
  /**
   * Columns that a narrow screen, such as a phone, shows below the record's name, in place of a table that scrolls sideways: `["category_id", "updated_at"]`. Only those that the list shows, in smaller type too. Default: the table.
   *
   * @minItems 1
   * @maxItems 4
   */
  narrow?: [string] | [string, string] | [string, string, string] | [string, string, string, string]
  sort?: Sorting
  /**
   * Always applied, in addition to the user's filters.
   */
  filter?: Filter
  /**
   * The field of kind number by which people put the records of a company into an order, and by which the list is sorted: `position`. A new record begins behind the last one, or where the database puts it if the field is `filled`. For whoever edits records, a button above the list opens the order, which is changed by dragging or with the arrow keys; up to 500 records.
   */
  order?: string
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
  /**
   * The ways in which the list can be shown; it opens in the first. `board` needs `list.board`, `calendar` needs `list.calendar`, `dashboard` needs `list.dashboard`. Search, filters, views and live changes are the same in all of them. Default: the table alone.
   *
   * @minItems 1
   */
  layouts?: [
    'table' | 'board' | 'calendar' | 'dashboard',
    ...('table' | 'board' | 'calendar' | 'dashboard')[]
  ]
  board?: Board
  dashboard?: Dashboard
  calendar?: Calendar
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
 * A named filter above the list; `{}` is all of it. With a `policy`, only for users who have that permission; it hides no rows.
 */
export interface View {
  label?: Words
  filter: Filter
  sort?: Sorting
  /**
   * The layout that it opens in, one of the list's `layouts`: a view of figures with a name of its own is found where people look for a report. Default: the layout in use.
   */
  layout?: 'table' | 'board' | 'calendar' | 'dashboard'
  policy?: Policy
}
/**
 * The list as columns of cards, a column for each value of a field or for each record that a relation points at. Each column loads as it is scrolled. A card is dragged to another column, or moved there by its menu or with Shift and an arrow key, where the user may make that change.
 */
export interface Board {
  /**
   * The field whose values are the columns: an `enum` or a `relation` with a column of the table. The records of a relation are up to 50 columns in the order of their own list, each with the color that the relation's `color` names; a record that `where` no longer allows is a column as long as it has cards, and takes none.
   */
  by: string
  /**
   * For a relation whose records are each of a fixed kind. `limits` and `moves` are then by kind; a filter by `field` leaves out the columns of other kinds.
   */
  kinds?: {
    /**
     * The `enum` of this resource that the database keeps equal to the one of the record.
     */
    field: string
    /**
     * The `enum` of the record that is the column.
     */
    of: string
  }
  /**
   * Fields that a card shows below its title. Default: the first four columns of the list after its title.
   *
   * @minItems 1
   * @maxItems 6
   */
  cards?:
    | [string]
    | [string, string]
    | [string, string, string]
    | [string, string, string, string]
    | [string, string, string, string, string]
    | [string, string, string, string, string, string]
  /**
   * The number of records that a column should not exceed, by value, or by kind for a relation with `kinds`. The column says so when it does; nothing is refused.
   */
  limits?: {
    [k: string]: number
  }
  /**
   * The action that moves a record to a value, by value, for a field that is not edited by hand. Of a list of actions, the first one that is offered for the record moves it: `["reopen", "open"]`. Its `when` decides which cards may be moved there, its permission who may. Without it, a move edits the field, as does one between two columns of a kind. For a relation with `kinds`, the function of the action gets the id of the column's record as the argument that is named like the field.
   */
  moves?: {
    [k: string]: string | [string, ...string[]]
  }
}
/**
 * The list as figures, in order. They count the rows of the list under its search and filters, in one request, and each leads to the rows that it counts. All are saved as one file, a `table` also as a file of its own.
 */
export interface Dashboard {
  [k: string]: Figure
}
export interface Figure {
  /**
   * `number`: one value. `share`: the part of the rows that match `part`, in percent. `top`: the values of `by` with the largest figures. `series`: the last days, weeks or months of the date `by`. `table`: a row for each value of `by`, a column for each of `across`, and the figure of each row, each column and all.
   */
  show: 'number' | 'share' | 'top' | 'series' | 'table'
  /**
   * The figure over the rows: their count, or the sum, average or median of the number `of`.
   */
  measure?: 'count' | 'sum' | 'average' | 'median'
  /**
   * The field that `sum`, `average` and `median` compute with; the figure is shown as that field is.
   */
  of?: string
  /**
   * The field by whose values `top` counts, the date of a `series`, or the field whose values are the rows of a `table`.
   */
  by?: string
  /**
   * The field whose values are the columns of a `table`; of a date, the last periods.
   */
  across?: string
  /**
   * How many values `top` shows, or rows and columns a `table`: there 50 without it.
   */
  max?: number
  /**
   * The period of a `series`, or of a `table` across a date.
   */
  every?: 'day' | 'week' | 'month'
  /**
   * How many periods a `series`, or a `table` across a date, shows, the current one included.
   */
  last?: number
  /**
   * The rows it is about, in addition to the filters of the list. Where the open view has another condition on the same field, this one takes its place.
   */
  filter?: Filter
  /**
   * Fields whose conditions in a view the figure does not follow: tickets that were resolved each week are counted in the view of unresolved ones too with `["status"]`. The figure says so, and leads to a list without the view.
   *
   * @minItems 1
   */
  ignores?: [string, ...string[]]
  /**
   * The rows that a `share` counts, of those that the figure is about.
   */
  part?: Filter
  label?: Words
}
/**
 * The list as a month. A record is shown on its day, or on each day from `from` until `until`.
 */
export interface Calendar {
  /**
   * The `date` or `datetime` field that says when.
   */
  from: string
  /**
   * The field of the same kind that says when it ends. Without a value, the record is shown on its first day alone.
   */
  until?: string
  /**
   * The `enum` whose color a record has. The value itself is read out and shown on hover, and written below the title where it is a warning: orange, gold or red.
   */
  color?: string
  /**
   * Records that match this are done: crossed out, without a color. It may not ask for `$user`.
   */
  done_when?: Filter
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
  /**
   * Parts of the record to the right of the overview, which fold on a phone. The title of a part is in the texts of the resource, under `sections`.
   */
  side?: {
    [k: string]: SidePart
  }
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
  /**
   * An action of this resource that makes such records: its button is above the list while the record is offered it. With `"create": false`.
   */
  action?: string
  /**
   * A `boolean` of these records that people edit: a checkbox before each record shows it and sets it at once, for whoever may edit the record. Such a list has no selection and no column of the field.
   */
  tick?: string
  /**
   * A `text` of these records: a line below the list adds one by this text alone, in place of the button with its form. All else that a record requires has a `default` or is `filled`.
   */
  add?: string
  above?: Above
  /**
   * Whether the tab says how many records the list has. They are counted with the record, in the same request, so it is for lists of tens and hundreds. A list that a number field `counts` has its number anyway.
   */
  count?: boolean
  /**
   * Whether the activity of this record tells of these records too: `changes` of their creation, changes and deletion, `links` only that `by` was set to this record. Default: neither.
   */
  activity?: 'changes' | 'links'
  /**
   * The tab is there for those with this permission, for others while the record satisfies `when`. For a list that is empty for them and that they may not add to.
   */
  policy?: Policy
  /**
   * The records on which those without `policy` have the tab: `{ "subticket_count": { "_gt": 0 } }`. Default: none.
   */
  when?: Filter
}
/**
 * Listed records that wait for somebody are shown above the overview too, the first three, with the actions on a record that the user is offered. The heading is `above.<name of the tab>` in the texts of this resource.
 */
export interface Above {
  /**
   * Which of the listed records: `{ "status": { "_eq": "asked" } }`.
   */
  filter: Filter
  /**
   * Their fields that are shown; empty ones are left out.
   *
   * @minItems 1
   */
  fields: [string, ...string[]]
}
/**
 * Rows of fields, a component below them, or both. `policy` shows it to those who have the permission, `unless` to those who do not.
 */
export interface SidePart {
  /**
   * Rows of fields, as in a section.
   *
   * @minItems 1
   */
  rows?: [string, ...string[]]
  /**
   * The fields of the part that are edited in place, by one press or by Enter, where the user may edit them.
   *
   * @minItems 1
   */
  edit?: [string, ...string[]]
  component?: Component
  policy?: Policy
  unless?: Policy
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
  /**
   * A relation of the form: a new record begins with its choices as cards, with the `icon`, the `description` and the `color` that the chosen resource has fields for.
   */
  cards?: string
  suggest?: Suggest
  /**
   * Whether files are added while the record is created, for a resource with `attachments`.
   */
  attachments?: boolean
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
/**
 * Records of another resource that are offered while a new record is typed, such as articles that answer the question. A press opens one beside the form; *This solved it* leaves the form.
 */
export interface Suggest {
  /**
   * The text field whose words they are found by.
   */
  by: string
  /**
   * The resource whose records are offered, as far as the user may list them.
   */
  resource: string
  /**
   * Its field that is read in the dialog: a text, a textarea or Markdown.
   */
  text: string
  /**
   * The function `(q text, company uuid)` that returns the `id` and `title` of each, the best first. It runs as the user, so that row-level security decides which.
   */
  rpc: string
  /**
   * The action of that resource which *This solved it* runs, where the user may.
   */
  solved?: string
}
/**
 * Records that are edited no more: *Edit* and the form say so instead of a refusal at the end, in the words `locked` of the resource. A trigger of the table refuses the change.
 */
export interface Locked {
  /**
   * The records that are locked: `{ "status": { "_eq": "closed" } }`.
   */
  when: Filter
  /**
   * Whoever has this permission edits them all the same.
   */
  unless?: Policy
}
/**
 * The thread of a record. `true` is a thread of replies in a tab.
 */
export interface Comments {
  /**
   * The kinds of comment by name, the usual one first: `{ "reply": {}, "note": { "own_lines": true, "color": "gold" } }`. Default: `reply` alone. Their words are `comments.<kind>` in the texts of the resource.
   */
  kinds?: {
    [k: string]: CommentKind
  }
  /**
   * Fields of type `user` that name who takes part in the record: these people hear of each new comment that they may read, as does whoever has written one.
   *
   * @minItems 1
   */
  people?: [string, ...string[]]
  /**
   * Whether the search of the list also finds a record by the words of its comments, as far as the user may read them and at most 500 comments hold the words.
   */
  search?: boolean
  /**
   * Whether words of a record that was merged into this one are comments too, under its title: the table of comments then has the column `origin`, which a function of the database fills and no client may write. Such a comment keeps its author and rings for nobody.
   */
  origin?: boolean
  /**
   * `main`: the thread is the middle of the record's overview, with its sections beside it; `tab`: a tab of its own.
   */
  place?: 'main' | 'tab'
  /**
   * A field of type `enum` or `relation`, such as the status: whoever may edit it sends a comment and sets it in one press.
   */
  sets?: string
  /**
   * The box for a new comment is there while the record satisfies this filter, and while it holds a draft: `{ "merged_into_id": { "_null": true } }`. What may be written the database decides.
   */
  offered_when?: Filter
}
export interface CommentKind {
  /**
   * Whether the kind has permission lines of its own, on the object `<resource>-<kind>s`, such as `tickets-notes`: `list` reads such comments and `create` writes them. Without `list` nothing tells that there are any.
   */
  own_lines?: boolean
  /**
   * The color of such comments and of the box while one is written. Default: none.
   */
  color?: 'gold' | 'orange' | 'red' | 'magenta' | 'purple' | 'blue' | 'cyan' | 'green' | 'gray'
  /**
   * Such comments are written, edited, deleted by their author and given files only while the record satisfies this filter over its own fields: `{ "status": { "_neq": "closed" } }`.
   */
  when?: Filter
  /**
   * Actions on the record, such as one that opens it again: while `when` does not hold, the first that is offered is in place of the box. The line beside it is `closed.<kind>` in the texts of the resource.
   *
   * @minItems 1
   */
  instead?: [string, ...string[]]
}
export interface Action {
  label?: Words
  /**
   * Its icon in menus and on buttons. Default: none.
   */
  icon?: Icon
  /**
   * Where it is offered: in a row's menu, over the selected rows, on the record's page, beside each comment of the usual kind.
   *
   * @minItems 1
   */
  on: ['row' | 'bulk' | 'record' | 'comment', ...('row' | 'bulk' | 'record' | 'comment')[]]
  /**
   * The database function it calls.
   */
  rpc?: string
  /**
   * Arguments besides the parameters; `$id` and `$ids` are replaced by the selected records, `$comment` by the comment of an action on comments. Default: `{ "ids": "$ids" }`.
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
   * Fields of the record that its dialog shows above the parameters, so that nobody decides on what they have not read: `["question"]`; `relation.field` shows one of a related record. One record is read again before the dialog opens. Actions with the same function, arguments and label are forms of one: the one that the record is offered then takes the place of the one that was pressed.
   *
   * @minItems 1
   */
  shows?: [string, ...string[]]
  /**
   * A database function that takes the records as the action does (`args`) and returns an object of counts: what the action does beyond these records, and what they leave open. Its dialog lists the counts above zero, in the words `effects.<function>.<name>_one` and `_other` of the resource.
   */
  effects?: string
  /**
   * Fields whose change asks its question too, where a field is edited in place or set with a comment, by name with the values that ask: `{ "status_id": { "kind": { "_eq": "resolved" } } }`. For a relation a filter over the related record, for an `enum` over the record with the new value. It asks only while the action is offered and something that it `shows` has a value; its parameters are not asked for.
   */
  on_set?: {
    [k: string]: Filter
  }
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
