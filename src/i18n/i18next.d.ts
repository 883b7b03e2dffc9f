import 'i18next'

/**
 * Typed keys: a key that is not in `locales/en` does not compile. A test checks that Turkish has the same
 * keys. `resources` names only the resources whose texts code asks for by key; screens look all others up by path.
 */
declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common'
    resources: {
      commands: typeof import('../../locales/en/commands.json')
      common: typeof import('../../locales/en/common.json')
      auth: typeof import('../../locales/en/auth.json')
      shell: typeof import('../../locales/en/shell.json')
      settings: typeof import('../../locales/en/settings.json')
      notifications: typeof import('../../locales/en/notifications.json')
      files: typeof import('../../locales/en/files.json')
      later: typeof import('../../locales/en/later.json')
      access: typeof import('../../locales/en/access.json')
      errors: typeof import('../../locales/en/errors.json')
      rules: typeof import('../../locales/en/rules.json')
      engine: typeof import('../../locales/en/engine.json')
      comments: typeof import('../../locales/en/comments.json')
      export: typeof import('../../locales/en/export.json')
      import: typeof import('../../locales/en/import.json')
      refine: typeof import('../../locales/en/refine.json')
      resources: {
        alerts: typeof import('../../locales/en/resources/alerts.json')
        users: typeof import('../../locales/en/resources/users.json')
      }
      dashboard: typeof import('../../locales/en/dashboard.json')
      devices: typeof import('../../locales/en/devices.json')
      automations: typeof import('../../locales/en/automations.json')
      monitors: typeof import('../../locales/en/monitors.json')
      patches: typeof import('../../locales/en/patches.json')
      schedules: typeof import('../../locales/en/schedules.json')
      policies: typeof import('../../locales/en/policies.json')
      groups: typeof import('../../locales/en/groups.json')
      agents: typeof import('../../locales/en/agents.json')
      procedures: typeof import('../../locales/en/procedures.json')
      jobs: typeof import('../../locales/en/jobs.json')
      software: typeof import('../../locales/en/software.json')
      tickets: typeof import('../../locales/en/tickets.json')
      palette: typeof import('../../locales/en/palette.json')
      inline: typeof import('../../locales/en/inline.json')
      bulk: typeof import('../../locales/en/bulk.json')
      long: typeof import('../../locales/en/long.json')
      trash: typeof import('../../locales/en/trash.json')
      views: typeof import('../../locales/en/views.json')
      filters: typeof import('../../locales/en/filters.json')
    }
  }
}
