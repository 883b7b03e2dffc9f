import { Skeleton } from 'antd'
import { type ComponentType, Suspense } from 'react'
import { useEngineComponent } from '@/resource/engine-context'
import type { FieldType, InputProps } from '@/resource/fields/kind-interface'
import { findKind } from '@/resource/fields/kinds'
import type { Field } from '@/resource/language/definition.generated'
import { lazyPart } from '@/ui/load-chunk'
import '@/resource/fields/fields.css'

interface InputModule {
  Input: ComponentType<InputProps>
}

const modules = import.meta.glob<InputModule>('./*/input.tsx')

const inputs = new Map<string, ComponentType<InputProps>>()

function inputOf(type: FieldType): ComponentType<InputProps> | undefined {
  const folder = findKind(type)?.input ?? type
  const known = inputs.get(folder)
  if (known) return known
  const load = modules[`./${folder}/input.tsx`]
  if (!load) return undefined
  const Input = lazyPart(async () => ({ default: (await load()).Input }))
  inputs.set(folder, Input)
  return Input
}

interface FieldInputProps extends Omit<InputProps, 'field'> {
  field: Field
}

/** How a value is edited. The form hands its own props (id, value, onChange) through. */
export function FieldInput(props: FieldInputProps) {
  const Own = useEngineComponent<FieldInputProps>(props.field.component ?? '')
  const Input = Own ?? inputOf(props.field.type)
  if (!Input) throw new Error(`The field kind "${props.field.type}" has no input`)
  return (
    <Suspense fallback={<Skeleton.Input active block />}>
      <Input {...props} />
    </Suspense>
  )
}
