/** Stands in for Node's `fs`, which a library of ours imports and never calls in a browser. */
export const readFileSync = undefined
