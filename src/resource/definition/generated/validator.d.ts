import type { ErrorObject } from 'ajv'

export interface DefinitionValidator {
  (data: unknown): boolean
  errors?: ErrorObject[] | null
}
export declare const validateDefinition: DefinitionValidator
/** Every kind of field there is. */
export declare const FIELD_TYPES: readonly string[]
