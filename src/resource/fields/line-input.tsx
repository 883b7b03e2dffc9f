import { Input } from 'antd'
import { inputAttributes, shownText } from '@/resource/fields/input-attributes'
import type { ControlProps } from '@/resource/fields/kind'

interface LineInputProps extends ControlProps {
  type: 'text' | 'email' | 'url'
}

/** Machine-readable text on one line: no capital letters or corrections on a phone's keyboard. */
export function LineInput({ type, ...props }: LineInputProps) {
  return (
    <Input
      {...inputAttributes(props)}
      inputMode={type}
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      value={shownText(props.value)}
      onChange={(event) => props.onChange?.(event.target.value)}
    />
  )
}
