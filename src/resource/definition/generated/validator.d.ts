import type { ErrorObject } from 'ajv'

export interface DefinitionValidator {
  (data: unknown): boolean
  errors?: ErrorObject[] | null
}
export declare const validateDefinition: DefinitionValidator
