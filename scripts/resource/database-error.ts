/** A database's refusal, as both drivers and the answer of a running console describe it. */
export interface DatabaseRefusal {
  code: string
  message: string
  detail?: string | undefined
  hint?: string | undefined
}

interface Explained {
  sentence: string
  remedy: string
}

type Explain = (refusal: DatabaseRefusal, names: readonly string[]) => Explained

const code = (name: string | undefined, fallback: string) => (name ? `\`${name}\`` : fallback)
const told = ({ detail }: DatabaseRefusal) => (detail ? `: ${detail.replace(/\.$/, '')}` : '')

/** The extension that has an operator class which a statement asks for. */
const OF_ACCESS: [RegExp, string][] = [
  [/operator class.*"gist"/, 'btree_gist'],
  [/gin_trgm_ops|gist_trgm_ops/, 'pg_trgm'],
  [/operator class.*"gin"/, 'btree_gin'],
]

/** The embedded database has these; a PostgreSQL of one's own, what its packages brought. */
const EMBEDDED_EXTENSIONS = ['btree_gist', 'pg_trgm', 'pgcrypto']

/** extension "a" is not available; in older versions: could not open extension control file "…/a.control" */
function missingExtension({ message }: DatabaseRefusal): Explained | undefined {
  const name =
    /extension "(\w+)" is not available/.exec(message)?.[1] ??
    /extension control file ".*?(\w+)\.control"/.exec(message)?.[1]
  if (name === undefined) return undefined
  return {
    sentence: `This database has no extension \`${name}\`.`,
    remedy: EMBEDDED_EXTENSIONS.includes(name)
      ? `Install PostgreSQL's package of further modules (\`postgresql-contrib\`), which has \`${name}\`, then run the command again.`
      : `The embedded database has ${EMBEDDED_EXTENSIONS.map((each) => `\`${each}\``).join(', ')}. Do without \`${name}\`, or use a PostgreSQL of your own that has it.`,
  }
}

/** Explanations by SQLSTATE. `names` are the names that PostgreSQL quotes in its message, in their order. */
const EXPLAINED: Record<string, Explain> = {
  // column "a" of relation "b" contains null values
  '23502': (_refusal, [column, table]) => ({
    sentence: `${code(column, 'A required column')} is empty in rows of ${code(table, 'the table')}.`,
    remedy: `Fill those rows first, or give the field a \`default\`; find them with: select * from public.${table ?? '<table>'} where ${column ?? '<column>'} is null;`,
  }),
  // insert or update on table "a" violates foreign key constraint "b"
  '23503': (refusal, [table, constraint]) => ({
    sentence: `Rows of ${code(table, 'the table')} point at records that do not exist${told(refusal)}.`,
    remedy: `Correct or clear that column in those rows, then run the command again (foreign key ${code(constraint, 'of the relation')}).`,
  }),
  // could not create unique index "a"
  '23505': (refusal, [index]) => ({
    sentence: `Several rows have the same value, which ${code(index, 'the unique index')} forbids${told(refusal)}.`,
    remedy: 'Change or delete the duplicates, then run the command again.',
  }),
  // check constraint "a" of relation "b" is violated by some row
  '23514': (refusal, names) => {
    const [constraint, table] = /relation/.test(refusal.message.split('"')[0] ?? '')
      ? [names[1], names[0]]
      : names
    return {
      sentence: `Rows of ${code(table, 'the table')} break the rule ${code(constraint, 'of the definition')}${told(refusal)}.`,
      remedy: 'Correct those rows, or loosen the rule in the definition.',
    }
  },
  '42883': ({ message }) => ({
    sentence: `The database cannot compare or call this: ${message}.`,
    remedy:
      'Compare values of the same kind in the checks and conditions of the definition; an action needs its function in a migration that runs before.',
  }),
  '42804': ({ message }) => ({
    sentence: `Values of different kinds are assigned or compared: ${message}.`,
    remedy:
      'Give the default, the check or the relation a value of the kind of its field; a relation needs a column of the type of the `id` it points at.',
  }),
  '42P16': ({ message }) => ({
    sentence: `The table or view cannot be changed like this: ${message}.`,
    remedy: 'Drop the view and create it again: `create or replace` only adds columns at its end.',
  }),
  '22P02': ({ message }) => ({
    sentence: `A value cannot be converted: ${message}.`,
    remedy: 'Correct the value in those rows, or in the `default` of the definition.',
  }),
  '2201B': ({ message }) => ({
    sentence: `A pattern is no regular expression of PostgreSQL: ${message}.`,
    remedy: 'Leave out what only JavaScript knows, such as named groups.',
  }),
  '42P07': (_refusal, [name]) => ({
    sentence: `${code(name, 'That name')} exists in the database already.`,
    remedy: 'Choose another name, or remove the migration that creates it a second time.',
  }),
  '42703': ({ message }) => ({
    sentence: `A column is missing: ${message}.`,
    remedy:
      'A function, view or check names it by its old name, or the definition misspells it. Correct that name first.',
  }),
  // data type uuid has no default operator class for access method "gist"
  '42704': ({ message, hint }) => {
    const extension = OF_ACCESS.find(([pattern]) => pattern.test(message))?.[1]
    return {
      sentence: `${message}.`,
      remedy: extension
        ? `It comes with the extension \`${extension}\`: write \`create extension if not exists ${extension} with schema extensions;\` in a migration that runs before.`
        : (hint ?? 'Create it in a migration that runs before.'),
    }
  },
  '0A000': (refusal) =>
    missingExtension(refusal) ?? {
      sentence: `PostgreSQL cannot make this change in place: ${refusal.message}${told(refusal)}.`,
      remedy:
        'Drop what depends on the column in a migration of your own, run the command again, and create it again after.',
    },
  '58P01': (refusal) =>
    missingExtension(refusal) ?? {
      sentence: `A file of the database is missing: ${refusal.message}.`,
      remedy: 'Repair the installation of PostgreSQL.',
    },
  '2BP01': (refusal) => ({
    sentence: `Other objects of the database depend on it: ${refusal.detail?.split('\n').join('; ') ?? refusal.message}.`,
    remedy: 'Drop or change those in a migration of your own first.',
  }),
  '53100': () => ({
    sentence: 'The disk of the database is full.',
    remedy: 'Free some space, then run the command again.',
  }),
  '55P03': () => ({
    sentence: 'The table is in use: the lock that the change needs was not free in time.',
    remedy: 'Wait until imports and bulk jobs have ended, then run the command again.',
  }),
  '57014': () => ({
    sentence: 'The change took longer than the database allows one statement, and was canceled.',
    remedy: 'Run it when the console is quiet, or split it into several migrations.',
  }),
}

/** A refusal of the database as a sentence, and in the next line what to do about it. */
export function explainDatabaseError(refusal: DatabaseRefusal): string {
  // A trigger of ours says itself what to do.
  if (refusal.code === '23503' && !refusal.message.includes('foreign key')) {
    const hint = refusal.hint ?? refusal.detail
    return `${refusal.message}.\n    ${hint ?? 'Nothing was changed.'}`
  }
  const explain = EXPLAINED[refusal.code]
  if (!explain) return `${refusal.message} (${refusal.code})${refusal.hint ? `\n    ${refusal.hint}` : ''}`
  const names = [...refusal.message.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name)
  const { sentence, remedy } = explain(refusal, names)
  return `${sentence}\n    ${remedy}`
}

/** The same for the answer of a running console: `<file> failed: <message> (<code>) <detail>`. */
export function explainAnswer(text: string): string {
  const [, file, message, found, detail] =
    /^(\S+) failed: (.*) \(([0-9A-Z]{5})\)(?: (.*))?$/s.exec(text) ?? []
  if (file === undefined || message === undefined || found === undefined) return text
  return `${file}  ${explainDatabaseError({ code: found, message, detail })}`
}
