import type { Mistake } from './mistake'

const ping = (value: Record<string, unknown>, at: Mistake['at'] = `"ping": { > "${Object.keys(value)[0]}"`) => ({ printers: { actions: { ping: value } }, at })
const param = (value: Record<string, unknown>, at: Mistake['at'] = `"params" > "${Object.keys(value)[0]}"`) => ({
  printers: { actions: { retire: { params: { reason: value } } } },
  at,
})

export const ACTIONS: Mistake[] = [
  { sort: 'on-nothing', what: 'An action that is offered nowhere.', ...ping({ on: [] }), about: 'on' },
  { sort: 'on-unknown', what: 'An action on rows instead of row.', ...ping({ on: ['rows'] }, ['"ping" > "rows"', '"ping" > "on"']), about: 'row' },
  { sort: 'on-twice', what: 'One place twice.', ...ping({ on: ['row', 'row'] }, ['"ping": { > "on"', '"ping": { > "row"', '"row" > "row"']), about: ['row', 'on', 'duplicate'] },
  { sort: 'on-no-comments', what: 'An action beside comments of a resource that has none.', ...ping({ on: ['comment'] }, ['"ping": { > "on"', '"ping": { > "comment"', '"comment"']), about: 'comment' },
  { sort: 'args-comment-elsewhere', what: 'The comment as an argument of an action on rows.', ...ping({ args: { ids: '$ids', comment: '$comment' } }, '"$comment"'), about: '$comment' },
  { sort: 'does-nothing', what: 'An action with neither function nor component.', ...ping({ rpc: undefined }, '"ping": {'), about: ['rpc', 'component'] },
  { sort: 'does-two-things', what: 'An action with a function and a component.', ...ping({ component: 'procedures/run-procedure-dialog' }, ['"ping": {', '"ping": { > "rpc"', '"ping": { > "component"']), about: ['rpc', 'component'] },
  { sort: 'rpc-missing', what: 'A misspelled function.', ...ping({ rpc: 'ping_printer' }), about: ['ping_printer', 'ping_printers'] },
  { sort: 'rpc-with-schema', what: 'A function with its schema.', ...ping({ rpc: 'public.ping_printers' }), about: ['public.ping_printers', 'rpc'] },
  { sort: 'rpc-not-granted', what: 'A function that users may not call.', sql: ['revoke execute on function public.ping_printers(uuid[]) from authenticated', 'grant execute on function public.ping_printers(uuid[]) to authenticated'], at: '"rpc": "ping_printers"', about: 'ping_printers' },
  { sort: 'args-unknown-variable', what: 'A misspelled variable for the selected records.', ...ping({ args: { ids: '$idss' } }, '"$idss"'), about: ['$idss', '$ids'] },
  { sort: 'args-and-params', what: 'A fixed argument and a parameter of one name.', printers: { actions: { retire: { args: { ids: '$ids', reason: 'old' } } } }, at: ['"reason": "old"', '"retire": { > "params"', '"params" > "reason"', '"args"'], about: 'reason' },
  { sort: 'args-not-of-function', what: 'Arguments that the function does not take, so the API finds no function.', ...ping({ args: { ids: '$ids', depth: 3 } }, ['"ping": { > "args"', '"depth"', '"ping": { > "rpc"']), about: 'depth' },
  { sort: 'args-missing-for-function', what: 'The arguments leave out the one that the function needs.', ...ping({ args: {} }, ['"ping": { > "args"', '"ping": { > "rpc"', '"ping": {']), about: 'ids' },
  { sort: 'param-not-of-function', what: 'A parameter that the function does not take.', printers: { actions: { ping: { params: { reason: { type: 'textarea', max_length: 500 } } } } }, at: ['"ping": { > "params"', '"ping": { > "reason"', '"ping": { > "rpc"'], about: 'reason' },
  { sort: 'param-type-missing', what: 'A parameter without a type.', ...param({ type: undefined }, '"params" > "reason"'), about: 'type' },
  { sort: 'param-of-a-list', what: 'A parameter that is searched, though it is in no list.', ...param({ search: true }), about: 'search' },
  { sort: 'param-readonly', what: 'A parameter that nobody can fill.', ...param({ readonly: true }, ['"params" > "readonly"', '"params" > "required"']), about: 'readonly' },
  { sort: 'shows-missing', what: 'A dialog shows a field that is not there.', printers: { actions: { retire: { shows: ['modle'] } } }, at: '"modle"', about: ['modle', 'model'] },
  { sort: 'on-set-missing', what: 'A question about a field that is not there.', printers: { actions: { retire: { on_set: { statos: { status: { _eq: 'retired' } } } } } }, at: '"statos"', about: ['statos', 'status'] },
  { sort: 'on-set-of-text', what: 'A question about a field without values to choose from.', printers: { actions: { retire: { on_set: { model: { model: { _eq: 'X' } } } } } }, at: '"on_set" > "model"', about: ['model', 'enum'] },
  { sort: 'shows-without-dialog', what: 'An action that runs at once names fields for its dialog.', printers: { actions: { ping: { shows: ['model'] } } }, at: '"shows"', about: ['shows', 'dialog'] },
  { sort: 'param-named-ids', what: 'A parameter takes the name of the selected records’ argument.', printers: { actions: { retire: { params: { ids: { type: 'text' } } } } }, en: { printers: { fields: { ids: 'Ids' } } }, tr: { printers: { fields: { ids: 'Kimlikler' } } }, at: '"params" > "ids"', about: 'ids' },
  { sort: 'policy-unknown-object', what: 'A permission of an object that does not exist.', ...ping({ policy: { object: 'printer', verb: 'ping' } }, ['"actions" > "object"', '"actions" > "policy"']), about: ['printer', 'printers'] },
  { sort: 'policy-unknown-verb', what: 'A permission with a verb that no line can have.', ...ping({ policy: { object: 'printers', verb: 'pign' } }, ['"actions" > "verb"', '"actions" > "policy"']), about: 'pign' },
  { sort: 'policy-without-verb', what: 'A permission without a verb.', ...ping({ policy: { object: 'printers' } }, '"policy"'), about: 'verb' },
  { sort: 'action-without-line', what: 'An action that no permission line allows anybody.', replace: { 'policies/admin.csv': [['p, Admin, printers, ping, allow\n', '']] }, at: '"ping": {', about: ['ping', 'policies'] },
  { sort: 'action-when-missing-field', what: 'An action for records by a field that is not there.', ...ping({ when: { state: { _eq: 'active' } } }, '"state"'), about: 'state' },
  { sort: 'action-icon-unknown', what: 'An action with an icon that is not offered.', ...ping({ icon: 'lightning-bolt' }), about: 'lightning-bolt' },
  { sort: 'action-component-missing', what: 'A dialog that is not there.', ...ping({ rpc: undefined, component: 'printers/ping-dialog' }, '"component"'), about: 'ping-dialog' },
  { sort: 'params-with-component', what: 'Parameters beside a component, which draws its own dialog.', printers: { actions: { retire: { rpc: undefined, component: 'procedures/run-procedure-dialog' } } }, at: ['"retire": { > "params"', '"retire": { > "component"', '"retire": {'], about: ['params', 'component'] },
  { sort: 'action-key-misspelled', what: 'A misspelled key.', ...ping({ dangerous: true }), about: ['danger', 'dangerous'] },
]
