import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { useCan } from '@/access/use-can'
import { useRpc } from '@/refine/use-rpc'
import { inputAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind-interface'
import { Input } from '@/resource/fields/relation/input'
import { useErrorText } from '@/resource/use-error-text'

/** The device of a ticket: any for whoever lists devices, and for others those that the desk has noted as theirs. */
export function TicketDeviceField(props: InputProps<'relation'>) {
  const can = useCan()
  return can('devices', 'list').allowed ? <Input {...props} /> : <OwnDevices {...props} />
}

function OwnDevices(props: InputProps<'relation'>) {
  const { t } = useTranslation('tickets')
  const errorText = useErrorText()
  const { data, error, isPending } = useRpc<{ id: string; name: string }[]>({ name: 'my_devices' })
  const value = typeof props.value === 'string' ? props.value : undefined
  const options = (data ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <>
      <Select
        {...inputAttributes(props)}
        className="k-full"
        allowClear
        loading={isPending}
        placeholder={t('device.none')}
        notFoundContent={t('device.noneOfYours')}
        // A device that the desk has chosen, or that has another user by now, has no name here.
        value={options.some((option) => option.value === value) ? value : undefined}
        options={options}
        onChange={(id: string | undefined) => props.onChange?.(id ?? null)}
      />
      {error ? <div role="status">{errorText(error)}</div> : null}
    </>
  )
}
