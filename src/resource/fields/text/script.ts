import {
  type JsonSchema,
  lengthOf,
  lengthOption,
  MAX_LENGTH,
  type ScriptFamily,
  TEXT_TYPES,
  textDefault,
} from '@/resource/fields/script-interface'

const OPTIONS: Record<string, JsonSchema> = { max_length: MAX_LENGTH, default: { type: 'string' } }

const PHRASES: JsonSchema = {
  type: 'boolean',
  description:
    "Shows sentences that the database or a device writes in English in the reader's language, as `phrases` in `locales/<language>/resources/_shared.json` translates them: `{{name}}` matches any text, `{{count, number}}` a number.",
}

export const scripts: ScriptFamily<'text' | 'textarea' | 'email' | 'url' | 'ip' | 'mac'> = {
  text: {
    options: {
      description: 'One line of text.',
      properties: {
        ...OPTIONS,
        pattern: {
          type: 'string',
          description:
            'Regular expression that the text must match: `^[A-Z]{3}$`. Without `^` and `$`, a part of the text is enough. The browser and PostgreSQL both read it, so `resource check` refuses what they read differently, such as `\\b`, and what can freeze a browser, such as `(a+)+`. In the database `\\w` also takes letters such as `ş`.',
        },
        copy: { type: 'boolean', description: 'Offers a copy button.' },
        suggestions: {
          type: 'array',
          items: { type: 'string' },
          description: 'Common values, offered by the input and as exact choices of the filter.',
        },
        record: {
          type: 'object',
          additionalProperties: false,
          required: ['table', 'id'],
          properties: { table: { type: 'string' }, id: { type: 'string' } },
          description: 'Links the text to the record whose table and id two other fields hold.',
        },
        phrases: PHRASES,
      },
    },
    column: () => ({ type: 'text' }),
    search: 'words',
    describes: {
      types: [...TEXT_TYPES, 'uuid'],
      options: ({ rules }) => ({
        ...lengthOption(rules),
        ...(rules.pattern === undefined ? {} : { pattern: rules.pattern }),
      }),
    },
    argument: (options, start) => ({
      max_length: lengthOf(options, 200),
      search: true,
      ...textDefault(start),
    }),
  },
  textarea: {
    options: {
      description: 'Several lines of text.',
      properties: { ...OPTIONS, rows: { type: 'integer', minimum: 2, maximum: 30 }, phrases: PHRASES },
    },
    column: () => ({ type: 'text' }),
    search: 'words',
    describes: { types: TEXT_TYPES, minLength: 500, options: ({ rules }) => lengthOption(rules) },
    argument: (options, start) => ({ max_length: lengthOf(options, 4000), ...textDefault(start) }),
  },
  email: {
    options: { description: 'An e-mail address.', properties: OPTIONS },
    column: () => ({
      type: 'text',
      implied: { maxLength: 255 },
      checks: (column) => [`${column} ~ '^[^[:space:]@]+@[^[:space:]@]+[.][^[:space:]@]+$'`],
    }),
    search: 'words',
    describes: {
      types: TEXT_TYPES,
      name: /(^|_)e?mail$/,
      options: ({ rules }) => lengthOption(rules, 255),
    },
    argument: (_options, start) => ({ search: true, ...textDefault(start) }),
  },
  url: {
    options: { description: 'A web address.', properties: OPTIONS },
    column: () => ({
      type: 'text',
      implied: { maxLength: 2000 },
      checks: (column) => [`${column} ~* '^https?://[^[:space:]/?#]+[^[:space:]]*$'`],
    }),
    search: 'words',
    describes: {
      types: TEXT_TYPES,
      name: /(^|_)(url|website|homepage)$/,
      options: ({ rules }) => lengthOption(rules, 2000),
    },
    argument: (_options, start) => textDefault(start),
  },
  ip: {
    options: { description: 'An IPv4 or IPv6 address.', properties: OPTIONS },
    column: () => ({ type: 'text', checks: (column) => [`app.is_ip(${column})`] }),
    search: 'words',
    describes: { types: ['inet'] },
    argument: (_options, start) => ({ search: true, ...textDefault(start) }),
  },
  mac: {
    options: { description: 'A hardware address.', properties: OPTIONS },
    column: () => ({
      type: 'text',
      checks: (column) => [`${column} ~* '^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$'`],
    }),
    search: 'words',
    describes: { types: ['macaddr'] },
    argument: (_options, start) => ({ search: true, ...textDefault(start) }),
  },
}
