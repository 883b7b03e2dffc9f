/** The parameter of an address that shows a page without menu and top bar, for a wall board. */
export const KIOSK = 'kiosk'
