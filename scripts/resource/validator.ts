import { Ajv, type ErrorObject } from 'ajv'
import standaloneImport from 'ajv/dist/standalone/index.js'
import { readSchema, type Schema } from './schema.ts'

type StandaloneCode = (ajv: Ajv, refs: Record<string, string>) => string

export interface DefinitionValidator {
  (data: unknown): boolean
  errors?: ErrorObject[] | null
}

// ajv is CommonJS: depending on the loader, the function is the `default` export or the module itself.
const standaloneCode = ('default' in standaloneImport
  ? standaloneImport.default
  : standaloneImport) as unknown as StandaloneCode

/** Descriptions are for editors; in the browser they would be two thirds of the validator. */
function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([key, inner]) => !isAnnotation(key, inner))
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutDescriptions(inner)]))
}

/** `title` and `description` are also names of properties, and then hold a schema, not a text. */
function isAnnotation(key: string, value: unknown): boolean {
  return (key === 'description' || key === 'title') && typeof value === 'string'
}

function fieldTypes(schema: Schema): string[] {
  const defs = schema.$defs as Record<string, { properties?: { type?: { const?: string } } }>
  return Object.values(defs).flatMap((def) => def.properties?.type?.const ?? [])
}

function validatorOf(schema: Schema, code: { source: boolean; esm: boolean }): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    // Errors carry the schema of their place, which names the keys it knows.
    verbose: true,
    discriminator: true,
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    strictTypes: false,
    // Inlined, the shared shapes would be repeated in every one of the field branches.
    inlineRefs: false,
    code: { ...code, optimize: true },
  })
  return ajv.addSchema({ ...(withoutDescriptions(schema) as Schema), $id: 'definition' })
}

/** For Node, which may compile the schema as it starts. */
export function compileValidator(root: string): {
  validateDefinition: DefinitionValidator
  FIELD_TYPES: readonly string[]
} {
  const schema = readSchema(root)
  const validateDefinition = validatorOf(schema, { source: false, esm: false }).getSchema('definition')
  return { validateDefinition: validateDefinition as DefinitionValidator, FIELD_TYPES: fieldTypes(schema) }
}

/** For the browser: the page's CSP forbids `eval`, so the build compiles the schema to a module. */
export function validatorModule(root: string): string {
  const schema = readSchema(root)
  const code = standaloneCode(validatorOf(schema, { source: true, esm: true }), {
    validateDefinition: 'definition',
  })
  return (
    `export const FIELD_TYPES = ${JSON.stringify(fieldTypes(schema))};` +
    code.replace(
      /const (\w+) = require\("([^"]+)"\)(?:\.default)?;/g,
      "import $1Module from '$2.js';const $1 = $1Module.default ?? $1Module;",
    )
  )
}
