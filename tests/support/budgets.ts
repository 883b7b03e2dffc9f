/** Bytes of JavaScript with gzip that `/devices` loads when it is opened by its address. */
export const FIRST_LIST_GZIP = 445_000
