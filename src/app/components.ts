/**
 * The files a definition may name as its `component`, by `<area>/<name>`. The engine may not import pages, so
 * the glob is here and is passed to it. Each file is loaded when a screen first shows it.
 */
const files = import.meta.glob('/src/pages/**/*-{tab,dialog,field,screen}.tsx')

export const engineComponents = Object.fromEntries(
  Object.entries(files).map(([path, load]) => [path.replace(/^\/src\/pages\/|\.tsx$/g, ''), load]),
)
