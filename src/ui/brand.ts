/** The product's name, in one place so that it can be white-labeled. */
export const PRODUCT_NAME = 'Konsol'
