/** The product's name, in one place so that it can be white-labelled. */
export const PRODUCT_NAME = 'Konsol'
