/** The parts of a workbook that do not grow with its rows. */

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Places of the styles below. */
export const STYLE = { plain: 0, header: 1, day: 2, instant: 3, apostrophe: 4 } as const

/** XML has no form at all for these characters, half a pair of surrogates among them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it takes out
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])/g
const LONE_LOW = /(?<![\ud800-\udbff])[\udc00-\udfff]/g
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Whether anything in a text could be other than it stands: most are not, and are then not copied either. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const SPECIAL = /[\u0000-\u001f&<>"_\ud800-\udfff\ufffe\uffff]/

export function xmlText(text: string): string {
  if (!SPECIAL.test(text)) return text
  return (
    text
      .replace(FORBIDDEN, '')
      .replace(LONE_LOW, '')
      .replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)
      .replaceAll('\r', '&#13;')
      // Read as the character with that number unless the line before it is written as one, too.
      .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
  )
}

/** `A`, `Z`, `AA`, from 0. */
export function columnName(index: number): string {
  const rest = Math.floor(index / 26)
  return `${rest > 0 ? columnName(rest - 1) : ''}${String.fromCharCode(65 + (index % 26))}`
}

/** A sheet's name has at most 31 signs, and some never. */
export function sheetName(name: string): string {
  const safe = name.replace(/[[\]:*?/\\]/g, ' ').replace(/^'+|'+$/g, '')
  return safe.trim().slice(0, 31) || 'Sheet1'
}

export const CONTENT_TYPES = `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPES}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/></Types>`

export const PACKAGE_LINKS = `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`

export const WORKBOOK_LINKS = `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`

export function stylesPart(day: string): string {
  return `${HEAD}<styleSheet xmlns="${SHEET}"><numFmts count="2"><numFmt numFmtId="164" formatCode="${day}"/><numFmt numFmtId="165" formatCode="${day}\\ hh:mm"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" quotePrefix="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
}

/** The name is what makes spreadsheets other than Excel show the row of filters, too. */
export function workbookPart(name: string, columns: number, rows: number): string {
  const quoted = `'${name.replaceAll("'", "''")}'`
  const area = `${quoted}!$A$1:$${columnName(columns - 1)}$${rows}`
  return `${HEAD}<workbook xmlns="${SHEET}" xmlns:r="${RELATIONS}"><sheets><sheet name="${xmlText(name)}" sheetId="1" r:id="rId1"/></sheets><definedNames><definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">${xmlText(area)}</definedName></definedNames></workbook>`
}

/** Up to the rows: the header row stays in view, and each column is as wide as what it holds. */
export function sheetStart(widths: readonly number[]): string {
  const cols = widths.map(
    (width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  )
  return `${HEAD}<worksheet xmlns="${SHEET}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${cols.join('')}</cols><sheetData>`
}

export function sheetEnd(columns: number, rows: number): string {
  return `</sheetData><autoFilter ref="A1:${columnName(columns - 1)}${rows}"/></worksheet>`
}
