import trTR from 'antd/es/locale/tr_TR'
import 'dayjs/locale/tr'

/** antd's own words, with the names of months and days its date fields show. */
export const turkishLocale = trTR
