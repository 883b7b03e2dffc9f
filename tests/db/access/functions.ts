import { idsLiteral, literal } from '../support/as-user'
import type { Company, Verb } from './access'

export interface FunctionAccess {
  /** The permission it needs. */
  needs: Verb
  call: (company: Company) => string
  /** Where it answers nothing instead of refusing. */
  isSilent?: true
  /** Whether even a Super Admin gets it only where the company's license has it. */
  isLicensed?: true
}

const id = (company: Company, table: string) => String(company.rows[table]?.id)
const devices = (company: Company) => idsLiteral([id(company, 'devices')])

/**
 * Every function that runs as its owner and that people may call. All others run as their caller: row-level security
 * holds for them, which `try-tables.ts` tries.
 */
export const FUNCTIONS: Record<string, FunctionAccess> = {
  replace_ticket_status: {
    needs: { object: 'ticket_statuses', verb: 'delete' },
    call: (c) => `replace_ticket_status(${literal(id(c, 'ticket_statuses'))},
      (select s.id from ticket_statuses s where s.company_id = ${literal(c.id)} and s.kind = 'waiting' and s.is_default))`,
  },
  merge_tickets: {
    needs: { object: 'tickets', verb: 'assign' },
    call: (c) => `merge_tickets(${idsLiteral([id(c, 'tickets')])}, ${literal(id(c, 'spare_tickets'))})`,
  },
  merge_effects: {
    needs: { object: 'tickets', verb: 'assign' },
    call: (c) => `merge_effects(${idsLiteral([id(c, 'tickets')])})`,
  },
  set_ticket_parent: {
    needs: { object: 'tickets', verb: 'assign' },
    call: (c) => `set_ticket_parent(${idsLiteral([id(c, 'tickets')])}, ${literal(id(c, 'spare_tickets'))})`,
  },
  split_ticket: {
    needs: { object: 'tickets', verb: 'assign' },
    call: (c) => `split_ticket(${literal(id(c, 'ticket_comments'))}, 'Split')`,
  },
  cancel_approval_requests: {
    needs: { object: 'tickets', verb: 'assign' },
    call: (c) => `cancel_approval_requests(${idsLiteral([id(c, 'ticket_approvals')])})`,
  },
  request_approval: {
    needs: { object: 'tickets', verb: 'assign' },
    call: (c) => `request_approval(${idsLiteral([id(c, 'tickets')])}, null, 'Admin')`,
  },
  run_procedure: {
    needs: { object: 'procedures', verb: 'run' },
    call: (c) => `run_procedure(${literal(id(c, 'procedures'))}, ${devices(c)})`,
  },
  run_command: {
    needs: { object: 'custom-commands', verb: 'run' },
    call: (c) => `run_command('Bash', 'id', ${devices(c)})`,
  },
  run_in_terminal: {
    needs: { object: 'custom-commands', verb: 'run' },
    call: (c) => `run_in_terminal(${literal(id(c, 'devices'))}, gen_random_uuid(), 'Bash', 'id')`,
  },
  keep_terminal: {
    needs: { object: 'custom-commands', verb: 'run' },
    call: (c) => `keep_terminal(${literal(id(c, 'devices'))})`,
  },
  run_task: { needs: { object: 'devices', verb: 'run' }, call: (c) => `run_task('reboot', ${devices(c)})` },
  install_patches: {
    needs: { object: 'device_patches', verb: 'run' },
    call: (c) => `install_patches(${idsLiteral([id(c, 'device_patches')])})`,
  },
  run_app: {
    needs: { object: 'apps', verb: 'run' },
    call: (c) => `run_app(${literal(id(c, 'apps'))}, 'install', ${devices(c)})`,
  },
  run_corporate_app: {
    needs: { object: 'corporate_apps', verb: 'run' },
    call: (c) => `run_corporate_app(${literal(id(c, 'corporate_apps'))}, ${devices(c)})`,
  },
  license_preview: {
    needs: { object: 'software_licenses', verb: 'list' },
    call: (c) => `license_preview('office', 'device', ${literal(c.id)})`,
  },
  file_limits: {
    needs: { object: 'devices', verb: 'edit' },
    call: (c) => `file_limits('devices', null, ${literal(c.id)})`,
  },
  package_limits: {
    needs: { object: 'corporate_apps', verb: 'list' },
    call: (c) => `package_limits(${literal(id(c, 'corporate_apps'))})`,
  },
  use_package_file: {
    needs: { object: 'corporate_apps', verb: 'edit' },
    call: (c) => `use_package_file(${literal(id(c, 'corporate_app_files'))})`,
  },
  app_store_state: {
    needs: { object: 'apps', verb: 'list' },
    call: (c) => `app_store_state(${idsLiteral([id(c, 'apps')])}, ${literal(c.id)})`,
    isSilent: true,
  },
  app_outdated_devices: {
    needs: { object: 'apps', verb: 'run' },
    call: (c) => `app_outdated_devices(${literal(id(c, 'apps'))}, ${literal(c.id)})`,
    isSilent: true,
  },
  run_automation: {
    needs: { object: 'automations', verb: 'run' },
    call: (c) => `run_automation(${literal(id(c, 'automations'))}, ${devices(c)})`,
    isLicensed: true,
  },
  preview_retry: {
    needs: { object: 'custom-commands', verb: 'run' },
    call: (c) => `preview_retry(${literal(id(c, 'jobs'))})`,
  },
  retry_job: {
    needs: { object: 'custom-commands', verb: 'run' },
    call: (c) => `retry_job(${literal(id(c, 'jobs'))})`,
  },
  cancel_job: {
    needs: { object: 'jobs', verb: 'cancel' },
    call: (c) => `cancel_job(${literal(id(c, 'jobs'))})`,
  },
  cancel_run: {
    needs: { object: 'job_runs', verb: 'cancel' },
    call: (c) => `cancel_run(${literal(id(c, 'job_runs'))})`,
  },
  cancel_automation_run: {
    needs: { object: 'automation_runs', verb: 'cancel' },
    call: (c) => `cancel_automation_run(${literal(id(c, 'automation_runs'))})`,
  },
  take_over: {
    needs: { object: 'policies', verb: 'edit' },
    call: (c) => `take_over('policies', ${idsLiteral([id(c, 'policies')])})`,
  },
  set_maintenance: {
    needs: { object: 'devices', verb: 'edit' },
    call: (c) => `set_maintenance(${devices(c)}, 60)`,
  },
  test_monitor: {
    needs: { object: 'monitors', verb: 'run' },
    call: (c) => `test_monitor(${literal(id(c, 'monitors'))}, ${devices(c)})`,
  },
  approve_procedure: {
    needs: { object: 'procedures', verb: 'approve' },
    call: (c) => `approve_procedure(${literal(id(c, 'procedure_versions'))})`,
  },
  decline_procedure: {
    needs: { object: 'procedures', verb: 'approve' },
    call: (c) => `decline_procedure(${literal(id(c, 'procedure_versions'))}, 'No')`,
  },
  approval_conflict: {
    needs: { object: 'procedures', verb: 'approve' },
    call: (c) => `approval_conflict(${literal(id(c, 'procedure_versions'))})`,
  },
  count_approvers: {
    needs: { object: 'policies', verb: 'list' },
    call: (c) => `count_approvers(${literal(c.id)})`,
  },
  test_script: {
    needs: { object: 'procedures', verb: 'create' },
    call: (c) => `test_script(${literal(id(c, 'devices'))}, 'Bash', 'id')`,
  },
  mark_favorite: {
    needs: { object: 'procedures', verb: 'list' },
    call: (c) => `mark_favorite(${literal(id(c, 'procedures'))})`,
  },
  create_enrollment_token: {
    needs: { object: 'enrollment_tokens', verb: 'create' },
    call: (c) => `create_enrollment_token(${literal(c.id)}, 'Tried')`,
  },
  revoke_enrollment_token: {
    needs: { object: 'enrollment_tokens', verb: 'delete' },
    call: (c) => `revoke_enrollment_token(${literal(id(c, 'enrollment_tokens'))})`,
  },
  approve_enrollment: {
    needs: { object: 'enrollment_requests', verb: 'approve' },
    call: (c) => `approve_enrollment(${literal(id(c, 'enrollment_requests'))})`,
  },
  reject_enrollments: {
    needs: { object: 'enrollment_requests', verb: 'approve' },
    call: (c) => `reject_enrollments(${idsLiteral([id(c, 'enrollment_requests')])})`,
    isSilent: true,
  },
  deactivate_users: {
    needs: { object: 'users', verb: 'edit' },
    call: (c) => `deactivate_users(${idsLiteral([c.memberId])})`,
  },
  reactivate_users: {
    needs: { object: 'users', verb: 'edit' },
    call: (c) => `reactivate_users(${idsLiteral([c.memberId])})`,
  },
  end_user_sessions: {
    needs: { object: 'users', verb: 'edit' },
    call: (c) => `end_user_sessions(${idsLiteral([c.memberId])})`,
  },
  send_password_links: {
    needs: { object: 'users', verb: 'invite' },
    call: (c) => `send_password_links(${idsLiteral([c.memberId])})`,
  },
  patch_compliance: {
    needs: { object: 'device_patches', verb: 'list' },
    call: (c) => `patch_compliance(${literal(c.id)})`,
  },
  patch_rings: {
    needs: { object: 'policies', verb: 'list' },
    call: (c) => `patch_rings(${literal(id(c, 'patches'))})`,
    isSilent: true,
  },
  device_holds: {
    needs: { object: 'policies', verb: 'list' },
    call: (c) => `device_holds(${literal(id(c, 'devices'))})`,
    isSilent: true,
  },
  trash: {
    needs: { object: 'tickets', verb: 'delete' },
    call: (c) => `trash('tickets', ${literal(c.id)})`,
    isSilent: true,
  },
  restore_records: {
    needs: { object: 'tickets', verb: 'delete' },
    call: (c) => `restore_records('tickets', ${idsLiteral([id(c, 'tickets')])})`,
    isSilent: true,
  },
  purge_records: {
    needs: { object: 'tickets', verb: 'delete' },
    call: (c) => `purge_records('tickets', ${idsLiteral([id(c, 'tickets')])})`,
    isSilent: true,
  },
  dashboard: { needs: { object: 'dashboard', verb: 'show' }, call: (c) => `dashboard(${literal(c.id)})` },
  device_history: {
    needs: { object: 'device_presence', verb: 'list' },
    call: (c) => `device_history(${literal(id(c, 'devices'))})`,
    isSilent: true,
  },
  rollout_status: {
    needs: { object: 'agents', verb: 'list' },
    call: (c) => `rollout_status(${literal(c.id)})`,
  },
  device_windows: {
    needs: { object: 'policies', verb: 'list' },
    call: (c) => `device_windows(${literal(id(c, 'devices'))})`,
    isSilent: true,
  },
  device_policies: {
    needs: { object: 'policies', verb: 'list' },
    call: (c) => `device_policies(${literal(id(c, 'devices'))})`,
    isSilent: true,
  },
}
/** Functions that concern nobody but the caller. */
export const OWN = [
  'add_package_version',
  'decide_approvals',
  'my_devices',
  'my_policy',
  'rate_ticket',
  'remember_language',
  'roles_that_may',
  'set_own_ticket_status',
  'vote_articles',
]
