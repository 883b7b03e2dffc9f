import { Skeleton } from 'antd'
import { type ComponentType, Suspense } from 'react'
import type { Field } from '@/resource/definition/definition.generated'
import { useEngineComponent } from '@/resource/engine-context'
import type { InputModule, InputProps } from '@/resource/fields/kind'
import { lazyPart } from '@/ui/load-chunk'
import '@/resource/fields/fields.css'

const modules = import.meta.glob<InputModule>('./*/input.tsx')

const inputs = new Map<string, ComponentType<InputProps>>()

function inputOf(type: string): ComponentType<InputProps> | undefined {
  const known = inputs.get(type)
  if (known) return known
  const load = modules[`./${type}/input.tsx`]
  if (!load) return undefined
  const Input = lazyPart(async () => ({
    default: (await load()).Input as unknown as ComponentType<InputProps>,
  }))
  inputs.set(type, Input)
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
