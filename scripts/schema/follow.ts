import type { Constraint, RenameStmt } from 'libpg-query'
import { difference, isSame } from './diff'
import { asMap, changedColumn, Editor, escaped, type ItemPlace, inColumn, schemaText } from './edit'
import { namesIn, type SchemaFile, schemaFiles, wholeFile } from './files'
import { relationName } from './names'
import type { Kind, Model, SchemaObject } from './objects'
import { isData, tableOf } from './objects'
import { loadParser, parse, SchemaError, type SqlText, type Statement, showProblem } from './parse'
import { fileNameOf, folderOf, RANK, renamedPath, resourcePath, within } from './places'
import { withExpressions } from './policy'
import { isLines, readObjects, runStatements } from './read'
import { renameTexts } from './rename-text'
import { renderGrants } from './render'

export interface Followed {
  /** The texts of the schema files that change; null for one that goes. */
  files: Map<string, string | null>
  /** Statements that have to be written by hand, with file and line. */
  problems: string[]
}

class Follower {
  private readonly editor: Editor
  private readonly paths: readonly string[]
  /** The identities that each statement of the schemas makes. */
  private readonly made = new Map<Statement, string[]>()
  /** The path of the file that new tables go to. */
  private home: string | undefined

  constructor(
    files: readonly SchemaFile[],
    private readonly before: Model,
    private readonly after: Model,
    private readonly all: ReadonlyMap<string, string>,
  ) {
    this.editor = new Editor(asMap(files))
    this.paths = [...all.keys()]
    for (const [identity, statements] of before.sources)
      for (const each of statements) this.made.set(each, [...(this.made.get(each) ?? []), identity])
  }

  private sourcesOf = (identity: string): Statement[] => this.before.sources.get(identity) ?? []

  /** The table that an object is read with. */
  private tableNameOf(object: SchemaObject): string {
    const { identity, owner, kind } = object
    if (kind === 'table' || kind === 'view') return identity.slice(kind.length + 1)
    const own = tableOf(object)
    if (own) return own
    const holder = owner === undefined ? undefined : (this.after.get(owner) ?? this.before.get(owner))
    if (holder) return this.tableNameOf(holder)
    const name = /^(?:grants on |comment on )?function \w+\.(\w+)\(/.exec(identity)?.[1] ?? ''
    const tables = [...this.after.objects.values()].filter((each) => each.kind === 'table')
    const found = tables
      .map((each) => each.identity.slice('table '.length))
      .filter((table) => new RegExp(`_${table.replace(/^\w+\./, '')}(?:_|$)`).test(name))
      .sort((a, b) => b.length - a.length)
    return found[0] ?? ''
  }

  private itemOf(
    table: string,
    isIt: (name: string | undefined, index: number) => boolean,
  ): ItemPlace | undefined {
    const [statement] = this.sourcesOf(`table ${table}`)
    if (!statement || !('CreateStmt' in statement.node)) return undefined
    const elements = statement.node.CreateStmt.tableElts ?? []
    const index = elements.findIndex((each, at) =>
      isIt('ColumnDef' in each ? each.ColumnDef.colname : undefined, at),
    )
    return index === -1 ? undefined : { statement, index }
  }

  private columnItem = (object: SchemaObject) => {
    const name = /^column (\S+) of /.exec(object.identity)?.[1]
    return this.itemOf(tableOf(object), (each) => each === name)
  }

  /** The item of a constraint below the columns. */
  private constraintItem(object: SchemaObject): ItemPlace | undefined {
    const [statement] = this.sourcesOf(object.identity)
    if (!statement || !('CreateStmt' in statement.node)) return undefined
    return this.itemOf(
      tableOf(object),
      (name, index) => name === undefined && this.editor.itemText({ statement, index }) === object.text,
    )
  }

  /** Replaces, adds or removes a constraint beside its column. */
  private changeBeside(old: SchemaObject, now: SchemaObject | undefined): boolean {
    const column = this.before.get(old.owner ?? '')
    const place = column && this.columnItem(column)
    const name = /^column (\S+) of /.exec(old.owner ?? '')?.[1] ?? ''
    if (!place) return false
    const { contype } = old.node as Constraint
    const clauseOf = (object: SchemaObject) =>
      inColumn(object.text.replace(/^(?:--[^\n]*\n)*/, '').replace(/^constraint \S+\s+/i, ''), contype, name)
    const clause = clauseOf(old)
    const item = this.editor.itemText(place)
    if (item.split(clause).length !== 2) return false
    this.editor.changeItem(place, (raw) => {
      const next = now ? ` ${clauseOf(now)}` : ''
      return raw.replace(new RegExp(`\\s+(?:constraint \\w+\\s+)?${escaped(clause)}`), () => next)
    })
    return true
  }

  private changeColumn(old: SchemaObject, now: SchemaObject): void {
    const place = this.columnItem(old)
    const [then, facts] = [old.column, now.column]
    if (!place || !then || !facts) return
    if (then.generated !== facts.generated) this.editor.replaceItem(place, now.text)
    else
      this.editor.changeItem(place, (raw) => {
        const head = /^\s*(?:--[^\n]*\n\s*)*\S+\s+/.exec(raw)?.[0] ?? ''
        return head + changedColumn(raw.slice(head.length), then, facts)
      })
  }

  private remove(object: SchemaObject): void {
    const { kind, owner = '', isInside } = object
    const isOwnerGone = owner !== '' && this.before.get(owner) && !this.after.get(owner)
    const isItem = !(isInside && isOwnerGone)
    if (isItem && kind === 'column') {
      const place = this.columnItem(object)
      if (place) {
        this.editor.removeItem(place)
        return
      }
    }
    if (isItem && kind === 'constraint') {
      if (owner.startsWith('column ')) {
        this.changeBeside(object, undefined)
        return
      }
      const place = this.constraintItem(object)
      if (place) {
        this.editor.removeItem(place)
        return
      }
    }
    for (const statement of this.sourcesOf(object.identity)) {
      const rest = (this.made.get(statement) ?? []).filter((each) => each !== object.identity)
      this.made.set(statement, rest)
      if (rest.length === 0) this.editor.remove(statement)
    }
  }

  private change(old: SchemaObject, now: SchemaObject): void {
    if (old.kind === 'column') this.changeColumn(old, now)
    else if (old.kind === 'grants') this.changeGrants(old, now)
    else if (old.kind === 'constraint' && old.owner?.startsWith('column ')) this.changeBeside(old, now)
    else if (old.kind === 'constraint') {
      const place = this.constraintItem(old)
      if (place) {
        this.editor.replaceItem(place, now.text)
        return
      }
      const [statement] = this.sourcesOf(old.identity)
      if (statement) this.editor.replace(statement, `alter table ${tableOf(now)} add ${now.text}`)
    } else {
      const [statement] = this.sourcesOf(old.identity)
      const isAltered = /^alter policy\b/i.test(now.text)
      if (statement && this.made.get(statement)?.length === 1)
        this.editor.replace(statement, isAltered ? withExpressions(old.text, now.text) : schemaText(now))
    }
  }

  /** Writes the grants of the roles for which they changed; others stay as they are. */
  private changeGrants(old: SchemaObject, now: SchemaObject): void {
    const of = ({ privileges }: SchemaObject, role: string) =>
      [...(privileges ?? [])].filter((pair) => pair.startsWith(`${role} `))
    const roles = new Set(
      [...(old.privileges ?? []), ...(now.privileges ?? [])].map((pair) => pair.split(' ')[0] ?? ''),
    )
    const changed = [...roles].filter((role) => of(old, role).sort().join() !== of(now, role).sort().join())
    const target = now.identity.slice('grants on '.length)
    const sources = this.sourcesOf(old.identity)
    const rolesIn = ({ node }: Statement) =>
      'GrantStmt' in node && node.GrantStmt.is_grant
        ? (node.GrantStmt.grantees ?? []).flatMap((each) =>
            'RoleSpec' in each ? (each.RoleSpec.rolename ?? 'public') : [],
          )
        : []
    const own = sources.filter((statement) => rolesIn(statement).some((role) => changed.includes(role)))
    const touched = [...new Set([...changed, ...own.flatMap(rolesIn)])]
    const text = touched
      .map((role) => renderGrants(target, role, of(now, role)))
      .filter(Boolean)
      .join('\n')
    const [first, ...others] = own
    if (first) {
      if (text === '') this.editor.remove(first)
      else this.editor.replace(first, text.replace(/;$/, ''))
      for (const statement of others) this.editor.remove(statement)
    } else if (text !== '') this.editor.insert(sources.at(-1)?.file ?? this.fileOf(now), sources.at(-1), text)
  }

  /** The file of a new object: that of its resource, or that of its domain for its kind. */
  private fileOf(object: SchemaObject): string {
    const table = this.tableNameOf(object)
    const known = (this.sourcesOf(`table ${table}`)[0] ?? this.sourcesOf(`view ${table}`)[0])?.file
    const own = table || (/(\w+)\(/.exec(object.identity)?.[1] ?? 'others')
    const path = known ?? this.home ?? this.newHome(own)
    return within(path) ? path : `${folderOf(path)}/${fileNameOf(object.kind)}`
  }

  private newHome(table: string): string {
    this.home = resourcePath(this.paths, table.replace(/^\w+\./, ''))
    return this.home
  }

  /** The last statement in a file of the object's table that reads before it. */
  private anchorOf(object: SchemaObject, file: string): Statement | undefined {
    const table = this.tableNameOf(object)
    const rank = RANK[object.kind] ?? 4
    const owner = object.owner && object.kind === 'comment' ? this.sourcesOf(object.owner).at(-1) : undefined
    if (owner?.file === file) return owner
    let anchor: Statement | undefined
    for (const [identity, statements] of this.before.sources) {
      const each = this.before.get(identity)
      if (!each || each.isInside || isData(each) || (RANK[each.kind] ?? 9) > rank) continue
      if (this.tableNameOf(each) !== table) continue
      for (const statement of statements)
        if (statement.file === file && (!anchor || statement.start > anchor.start)) anchor = statement
    }
    return anchor
  }

  /** Whether a foreign key names a table that is made later, so that it is written behind that table. */
  private laterTable(object: SchemaObject): Statement | string | undefined {
    const { pktable } = object.node as { pktable?: Parameters<typeof relationName>[0] }
    if (object.kind !== 'constraint' || !pktable) return undefined
    const target = relationName(pktable)
    const file = [...this.all].find(([, sql]) => sql.includes(`create table ${target} (`))?.[0]
    const own = this.sourcesOf(`table ${tableOf(object)}`)[0]?.file
    if (!file || !own || this.paths.indexOf(file) <= this.paths.indexOf(own)) return undefined
    return this.sourcesOf(`table ${target}`)[0] ?? file
  }

  private addConstraint(object: SchemaObject): void {
    const later = this.laterTable(object)
    const table = tableOf(object)
    if (later) {
      const text = `alter table ${table} add ${object.text};`
      const file = typeof later === 'string' ? later : later.file
      this.editor.insert(file, typeof later === 'string' ? undefined : later, text)
      return
    }
    const [statement] = this.sourcesOf(`table ${table}`)
    const count =
      statement && 'CreateStmt' in statement.node ? (statement.node.CreateStmt.tableElts?.length ?? 0) : 0
    if (statement && count > 0) this.lists.set(statement, [...(this.lists.get(statement) ?? []), object.text])
  }

  /** New constraints by the statement of their table, and new columns. */
  private readonly lists = new Map<Statement, string[]>()
  private readonly columns = new Map<string, string[]>()

  private add(object: SchemaObject): void {
    if (object.kind === 'column') {
      const table = tableOf(object)
      this.columns.set(table, [...(this.columns.get(table) ?? []), object.text])
    } else if (object.kind === 'constraint') {
      if (!object.owner?.startsWith('column ')) this.addConstraint(object)
    } else {
      const file = this.fileOf(object)
      const isApart = ['function', 'view', 'table'].includes(object.kind)
      const isOther = ['comment', 'grants'].includes(object.kind)
      const text = object.kind === 'grants' ? object.text : schemaText(object)
      const statements = `${text};`
      const anchor = this.anchorOf(object, file)
      const last = this.lastKind.get(file)
      const isGap = isApart || (!isOther && !anchor && last !== object.kind)
      this.lastKind.set(file, object.kind)
      this.editor.insert(file, anchor, isGap ? `\n${statements}` : statements)
    }
  }
  private readonly lastKind = new Map<string, Kind>()

  private flush(): void {
    for (const [table, items] of this.columns) {
      const [statement] = this.sourcesOf(`table ${table}`)
      if (!statement || !('CreateStmt' in statement.node)) continue
      const elements = statement.node.CreateStmt.tableElts ?? []
      const index = elements.findLastIndex((each) => 'ColumnDef' in each)
      if (index === elements.length - 1 && this.lists.has(statement))
        this.lists.set(statement, [...items, ...(this.lists.get(statement) ?? [])])
      else this.editor.insertItems({ statement, index }, items)
    }
    for (const [statement, items] of this.lists) {
      const count = 'CreateStmt' in statement.node ? (statement.node.CreateStmt.tableElts?.length ?? 0) : 0
      this.editor.insertItems({ statement, index: count - 1 }, items)
    }
  }

  run(): Map<string, string | null> {
    const gone = [...this.before.objects.values()].filter(
      (each) => !this.after.get(each.identity) && !isData(each),
    )
    for (const object of gone) this.remove(object)
    const texts = new Set<string>()
    for (const now of this.after.objects.values()) {
      if (isData(now)) continue
      const old = this.before.get(now.identity)
      if (old && isSame(now, old)) continue
      const isWithOwner = now.isInside && now.owner !== undefined && !this.before.get(now.owner)
      if (isWithOwner || (!old && texts.has(now.text))) continue
      texts.add(now.text)
      if (old) this.change(old, now)
      else this.add(now)
    }
    this.flush()
    return this.editor.changed()
  }
}

const byHand = (text: string) => `supabase/schemas does not follow: ${text}`

/**
 * Writes into `supabase/schemas` what new migrations do. Nothing is written here: the command does it with its other
 * files. What cannot be followed is told by file and line, and `npm run schema -- --check` names it until it is written.
 */
export async function follow(root: string, migrations: readonly SqlText[]): Promise<Followed> {
  await loadParser()
  const all = asMap(schemaFiles(root))
  const created = migrations.flatMap(({ sql }) => /^create table public\.(\w+) \(/m.exec(sql)?.[1] ?? [])
  const names = namesIn(migrations)
  const pattern = new RegExp(`\\b(?:public|app)\\.(?:\\w+_)?(?:${names.join('|')})\\b`)
  // A function goes to the file of the added table that its name ends with.
  const isNamed = (path: string) => {
    const table = /\/\d+_(\w+)\.sql$/.exec(path)?.[1]
    return within(path) && table !== undefined && migrations.some(({ sql }) => sql.includes(table))
  }
  const files = [...all]
    .map(([path, sql]) => ({ path, sql }))
    .filter((file) => !isLines(file) && (pattern.test(file.sql) || isNamed(file.path)))
  try {
    const statements = migrations.flatMap(parse)
    const base = readObjects(files, 'schemas')
    const after = base.without(() => false)
    runStatements(after, statements)
    const isWhole =
      created.length > 0 &&
      statements.every(({ node }) => !('AlterTableStmt' in node) || isSecurity(node.AlterTableStmt))
    const [first = ''] = created
    if (isWhole && migrations.length === 1 && migrations[0] && !base.get(`table public.${first}`)) {
      const path = resourcePath(all.keys(), first)
      const text = wholeFile(migrations[0])
      const problems = leftBy([...all.keys()], asMap([...files, { path, sql: text }]), after)
      return { files: new Map([[path, text]]), problems }
    }
    const nodes = statements.flatMap(({ node }): RenameStmt[] =>
      'RenameStmt' in node ? [node.RenameStmt] : [],
    )
    const renamed = nodes.length === 0 ? files : renameTexts(files, base, nodes, renamedPath)
    const before = nodes.length === 0 ? base : readObjects(renamed, 'schemas')
    const changed = new Follower(renamed, before, after, all).run()
    const results = new Map<string, string | null>()
    const texts = new Map<string, string>()
    for (const [index, { path, sql }] of renamed.entries()) {
      const old = files[index]
      const text = changed.has(path) ? (changed.get(path) ?? null) : sql
      if (old && old.path !== path) results.set(old.path, null)
      if (old?.path !== path || old.sql !== text) results.set(path, text)
      if (text !== null) texts.set(path, text)
    }
    // A file of a domain that was not read gets the new objects at its end.
    for (const [path, text] of changed) {
      if (text === null || asMap(renamed).has(path)) continue
      const known = all.get(path)
      results.set(path, known === undefined ? text : `${known.trimEnd()}\n\n${text}`)
      texts.set(path, text)
    }
    return { files: results, problems: leftBy([...all.keys()], texts, after) }
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return { files: new Map(), problems: [byHand(error.message)] }
  }
}

const isSecurity = ({ cmds }: { cmds?: readonly object[] }) =>
  (cmds ?? []).every((each) => JSON.stringify(each).includes('AT_EnableRowSecurity'))

/** The objects that the edited files, read again, still lack: only what they now say counts. */
function leftBy(order: readonly string[], texts: ReadonlyMap<string, string>, after: Model): string[] {
  const place = (path: string) => (within(path) ? order.length : order.indexOf(path))
  const ordered = [...texts]
    .map(([path, sql]) => ({ path, sql }))
    .sort((a, b) => place(a.path) - place(b.path) || (a.path < b.path ? -1 : 1))
  const written = readObjects(ordered, 'schemas')
  const { found, problems } = difference(written.without(isData), after.without(isData))
  const told = [
    ...found.map(({ file, line, identity }) => `${file}:${line}: ${identity}`),
    ...problems.map(showProblem),
  ]
  return told.map((line) => byHand(`write it by hand. ${line}`))
}
