import { Select } from 'antd'
import { useAllRoles } from '@/access/roles'
import { useCan } from '@/access/use-can'
import { useRpc } from '@/refine/use-rpc'
import { choiceAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind-interface'
import { useValueWord } from '@/resource/language/words'

export function Input(props: InputProps<'enum' | 'role'>) {
  const { field, value, onChange } = props
  const word = useValueWord(props.resource, props.name)
  const roles = useAllRoles()
  const can = useCan()
  const may = field.type === 'role' ? field.may : undefined
  const able = useRpc<string[]>(
    { name: 'roles_that_may', resource: props.resource, args: { ...may } },
    { enabled: may !== undefined, staleTime: 60_000 },
  )
  const mayChoose = (name: string) => {
    if (field.type === 'role')
      return roles.some(
        (role) =>
          role.name === name &&
          (field.grants === false ? role.hasCompany : role.isGrantable) &&
          (may === undefined || able.isError || able.data?.includes(name) === true),
      )
    if (field.automatic?.includes(name)) return false
    const policy = field.needs?.[name]
    return policy === undefined || can(policy.object, policy.verb).allowed
  }
  const names = field.type === 'role' ? roles.map(({ name }) => name) : Object.keys(field.values)
  const options = names
    // The stored value stays listed, whatever the user may choose.
    .filter((name) => name === value || mayChoose(name))
    .map((name) => ({ value: name, label: word(name) }))
  return (
    <Select
      {...choiceAttributes(props)}
      value={typeof value === 'string' ? value : undefined}
      options={options}
      allowClear={field.required !== true}
      showSearch={options.length > 8 ? { optionFilterProp: 'label' } : false}
      onChange={(next) => onChange?.(next ?? null)}
    />
  )
}
