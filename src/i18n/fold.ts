/**
 * Case and accents fall away and ı, I, İ, i all meet, so that isik finds ışık and IŞIK in every language. The
 * database's `app.fold()` does the same to what it searches.
 */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .replace(/[ıI]/g, 'i')
    .toLowerCase()
}
