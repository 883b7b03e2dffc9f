import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type IndexHtmlTransformContext, type Plugin, type Rolldown, runnerImport } from 'vite'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SRC = join(ROOT, 'src')
const LOCAL = { configFile: false, root: ROOT, resolve: { alias: { '@': SRC } } } as const

async function buildScript(): Promise<string> {
  const result = await build({
    ...LOCAL,
    logLevel: 'error',
    publicDir: false,
    build: {
      write: false,
      target: 'es2022',
      lib: { entry: join(SRC, 'app/early/early-script.ts'), formats: ['iife'], name: 'early' },
    },
  })
  const [output] = [result].flat() as Rolldown.RolldownOutput[]
  return output?.output[0].code.trim() ?? ''
}

/** Both palettes as `--k-*` variables: `textSoft` is `--k-text-soft`. */
async function paletteCss(): Promise<string> {
  const { module } = await runnerImport<typeof import('../../src/ui/tokens.ts')>(`${SRC}/ui/tokens.ts`, LOCAL)
  return Object.entries(module.palettes)
    .map(([mode, palette]) => {
      const variables = Object.entries(palette).map(
        ([name, value]) => `--k-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}:${value}`,
      )
      return `html[data-theme=${mode}]{${variables.join(';')}}`
    })
    .join('')
}

async function templates(): Promise<string> {
  const empty = '\0no-style'
  const withoutStyles: Plugin = {
    name: 'without-styles',
    enforce: 'pre',
    resolveId: (id) => (id.endsWith('.css') ? empty : undefined),
    load: (id) => (id === empty ? 'export {}' : undefined),
  }
  const { module } = await runnerImport<typeof import('../../src/app/early/templates.tsx')>(
    `${SRC}/app/early/templates.tsx`,
    { ...LOCAL, plugins: [withoutStyles] },
  )
  return Object.entries(await module.renderTemplates())
    .map(([id, markup]) => `<template id="${id}">${markup}</template>`)
    .join('\n    ')
}

/**
 * The page's style sheets go into the page itself, so that its first paint waits for no request. The links stay,
 * disabled: with them there, Vite's preloads do not fetch the same styles again.
 */
function inlineStyles(html: string, bundle: IndexHtmlTransformContext['bundle']): string {
  return html.replace(
    /<link rel="stylesheet"([^>]*) href="\/([^"]+)">/g,
    (link, rest: string, file: string) => {
      const asset = bundle?.[file]
      return asset?.type === 'asset'
        ? `<style>${String(asset.source)}</style>\n    <link rel="stylesheet" disabled${rest} href="/${file}">`
        : link
    },
  )
}

/** Writes what is shown before React into the page: see `src/app/early`. */
export function earlyPage(): Plugin {
  let isBuild = false
  return {
    name: 'early-page',
    configResolved: (config) => {
      isBuild = config.command === 'build'
    },
    transformIndexHtml: {
      order: 'post',
      handler: async (html, { bundle }) => {
        const [script, palette, markup] = await Promise.all([
          buildScript(),
          paletteCss(),
          // In development the styles come with the modules: markup before them would be naked.
          isBuild ? templates() : '',
        ])
        return inlineStyles(html, bundle)
          .replace('</head>', () => `  <style>${palette}</style>\n    ${markup}\n  </head>`)
          .replace('<div id="early"></div>', (early) => `${early}<script>${script}</script>`)
      },
    },
  }
}
