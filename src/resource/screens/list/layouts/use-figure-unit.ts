import { useTranslation } from 'react-i18next'
import { kindOf } from '@/resource/fields/kinds'
import type { Definition, Figure } from '@/resource/language/definition.generated'

interface FigureUnit {
  /** The word for the unit; undefined for a count. */
  unit: string | undefined
  inUnit: (value: number | null) => number | null
}

/** The unit in which the figures of a field are written to a file: hours for seconds, and otherwise the field's own. */
export function useFigureUnit(definition: Definition): (figure: Figure) => FigureUnit {
  const { t } = useTranslation('engine')
  return ({ of }) => {
    const field = of ? definition.fields[of] : undefined
    const file = field && kindOf(field.type).file
    if (!field || !file?.figure)
      return {
        unit:
          field &&
          file?.unit?.(field, {
            unit: (unit: 's' | 'min') => t(`units.${unit}`, { amount: '' }).trim(),
          } as never),
        inUnit: (value) => value,
      }
    const { unit, size } = file.figure(field as never)
    return {
      unit: t(`units.${unit}`),
      inUnit: (value) => (value === null ? null : Math.round((value / size) * 100) / 100),
    }
  }
}
