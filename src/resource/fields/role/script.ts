import type { FieldScript } from '@/resource/fields/script-interface'

export const script: FieldScript<'role'> = {
  options: {
    description:
      'A role of `policies/`. Users choose only roles whose permissions their own role has all; the function or trigger that stores it has to refuse the others, as it does for `user_roles`.',
    properties: { default: { type: 'string' } },
  },
  isIndexed: true,
  argument:
    'a role is kept in step with policies/ by a foreign key to app.role: write the column in a migration, then add the field to the definition',
}
