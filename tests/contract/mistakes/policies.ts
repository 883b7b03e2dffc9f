import type { Mistake } from './mistake'

const ADMIN = 'policies/admin.csv'
const line = (text: string, file = ADMIN) => ({ append: { [file]: text }, in: file, at: text.split('\n').at(-1) ?? '' })

export const POLICIES: Mistake[] = [
  { sort: 'verb-unknown', what: 'A misspelled verb.', ...line('p, Admin, printers, exprot, allow'), about: ['exprot', 'export'] },
  { sort: 'verb-of-crud', what: 'update instead of edit.', ...line('p, Admin, printers, update, allow'), about: 'update' },
  { sort: 'object-unknown', what: 'A misspelled object.', ...line('p, Admin, printrs, list, allow'), about: ['printrs', 'printers'] },
  { sort: 'object-singular', what: 'The singular of a resource.', ...line('p, Admin, printer, list, allow'), about: 'printers' },
  { sort: 'role-unknown', what: 'A misspelled role.', ...line('p, Amdin, printers, list, allow'), about: ['Amdin', 'Admin'] },
  { sort: 'role-lower-case', what: 'A role in lower case.', ...line('p, teknik, rooms, export, allow', 'policies/teknik.csv'), about: ['teknik', 'Teknik'] },
  { sort: 'effect-unknown', what: 'A misspelled effect.', ...line('p, Standard, printers, list, alow', 'policies/standard.csv'), about: ['alow', 'allow'] },
  { sort: 'cell-missing', what: 'A line without its effect.', ...line('p, Standard, printers, list', 'policies/standard.csv'), about: ['allow', 'cells', 'effect'] },
  { sort: 'cell-too-many', what: 'A line with several verbs.', ...line('p, Standard, printers, list, show, allow', 'policies/standard.csv'), about: ['verb', 'cells', 'effect', 'show', '5'] },
  { sort: 'semicolons', what: 'Semicolons, as a Turkish Excel saves them.', ...line('p; Standard; printers; list; allow', 'policies/standard.csv'), about: ['comma', ';', 'semicolon'] },
  { sort: 'line-twice', what: 'A line twice.', ...line('p, Admin, printers, list, allow'), at: ['p, Admin, printers, list, allow', 'p, Admin, printers, retire, allow > p, Admin, printers, list, allow'], about: ['twice', 'duplicate', 'already', 'repeat'] },
  { sort: 'allow-and-deny', what: 'A deny beats the allow of the same file, which does nothing.', ...line('p, Admin, printers, delete, deny'), at: ['p, Admin, printers, delete, allow', 'p, Admin, printers, delete, deny'], about: ['deny', 'allow', 'contradicts'] },
  { sort: 'allow-all-verbs', what: 'An allow of every verb outside of Super Admin.', ...line('p, Admin, rooms, *, allow'), about: '*' },
  { sort: 'allow-all-objects', what: 'An allow of every object outside of Super Admin.', ...line('p, Teknik, *, list, allow', 'policies/teknik.csv'), about: '*' },
  { sort: 'allow-write', what: 'write, which only a deny knows.', ...line('p, Standard, printers, write, allow', 'policies/standard.csv'), about: 'write' },
  { sort: 'action-of-another', what: 'A verb of an action that this object does not have.', ...line('p, Admin, rooms, retire, allow'), about: ['retire', 'rooms'] },
  { sort: 'wrong-file', what: 'A line of Teknik in the file of Admin.', ...line('p, Teknik, printers, delete, allow'), about: ['teknik.csv', 'Teknik'] },
  { sort: 'comment-slashes', what: 'A comment with slashes.', ...line('// printers of the branch offices'), about: ['#', 'comment', '//'] },
  { sort: 'inherits-unknown', what: 'A role inherits from one that does not exist.', ...line('g, Teknik, Technician', 'policies/teknik.csv'), about: 'Technician' },
  { sort: 'inherits-itself', what: 'Two roles inherit from each other.', append: { 'policies/teknik.csv': 'g, Teknik, Standard', 'policies/standard.csv': 'g, Standard, Teknik' }, in: 'policies/standard.csv', at: 'g, Standard, Teknik', about: ['each other', 'itself', 'cycle', 'Teknik'] },
  { sort: 'kind-of-line', what: 'A line of an unknown kind.', ...line('permit, Admin, printers, list, allow'), about: ['permit', 'p,'] },
  { sort: 'quoted-cells', what: 'Cells in quotes, as a spreadsheet saves them.', ...line('p, "Standard", "printers", "list", "allow"', 'policies/standard.csv'), about: ['quote', '"'] },
  {
    sort: 'nobody-lists',
    what: 'No permission line lists a resource, so nobody but Super Admin sees it.',
    replace: { [ADMIN]: [['p, Admin, print_jobs, list, allow\n', '']], 'policies/teknik.csv': [['p, Teknik, print_jobs, list, allow\n', '']] },
    in: 'resources/print_jobs.json',
    at: ['"name"', ''],
    about: ['list', 'policies'],
  },
  { sort: 'show-without-list', what: 'A role may show records whose list it may not open.', replace: { 'policies/teknik.csv': [['p, Teknik, print_jobs, list, allow\n', '']] }, in: 'policies/teknik.csv', at: 'p, Teknik, print_jobs, show, allow', about: 'list' },
]
