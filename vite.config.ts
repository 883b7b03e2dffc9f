import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { definitions } from './scripts/support/definitions.ts'
import { earlyPage } from './scripts/support/early-page.ts'
import { withoutUnused } from './scripts/support/without-unused.ts'
import { PRODUCT_NAME } from './src/ui/brand.ts'
import { palettes } from './src/ui/tokens.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

const MANIFEST = 'manifest.webmanifest'
/** The name and icons that a phone shows when the console is added to its home screen. */
const manifest = JSON.stringify({
  name: PRODUCT_NAME,
  short_name: PRODUCT_NAME,
  id: '/',
  // The one page that every account has.
  start_url: '/tickets',
  scope: '/',
  display: 'standalone',
  background_color: palettes.light.page,
  theme_color: palettes.light.primary,
  icons: [
    { src: '/icon.svg', sizes: 'any', type: 'image/svg+xml' },
    { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
    { src: '/icon-512.png', sizes: '512x512', type: 'image/png' },
    { src: '/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
  ],
})

/** The page's title, its text without JavaScript and the manifest take the product's name from one constant. */
function productName(): Plugin {
  return {
    name: 'product-name',
    transformIndexHtml: (html) =>
      html
        .replaceAll('%PRODUCT_NAME%', PRODUCT_NAME)
        .replace('%LIGHT_COLOR%', palettes.light.surface)
        .replace('%DARK_COLOR%', palettes.dark.surface),
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: MANIFEST, source: manifest })
    },
    configureServer: ({ middlewares }) => {
      middlewares.use(`/${MANIFEST}`, (_request, response) => {
        response.setHeader('content-type', 'application/manifest+json')
        response.end(manifest)
      })
    },
  }
}

/** Casbin can read policies from files; in a browser it never does, and Vite would warn on every build. */
function noFileSystem(): Plugin {
  const empty = '\0no-file-system'
  return {
    name: 'no-file-system',
    enforce: 'pre',
    resolveId: (id) => (id === 'fs' ? empty : undefined),
    load: (id) => (id === empty ? 'export const readFileSync = undefined' : undefined),
  }
}

export default defineConfig({
  plugins: [react(), productName(), noFileSystem(), withoutUnused(), definitions(), earlyPage()],
  resolve: {
    alias: { '@': path('./src') },
  },
  build: {
    target: 'es2022',
    // The first page is measured by `npm run bench:weight`, not by this warning.
    chunkSizeWarningLimit: 1500,
    rolldownOptions: {
      treeshake: {
        // Its index holds the whole form; for who asks it for a context alone, as buttons do, it is left out.
        moduleSideEffects: [{ test: /node_modules[\\/]@rc-component[\\/]form[\\/]/, sideEffects: false }],
      },
      output: {
        codeSplitting: {
          groups: [
            // What every page needs and what changes rarely, so that an upgrade of ours leaves it cached.
            {
              name: 'react',
              test: /node_modules[\\/](react|react-dom|scheduler|react-router)[\\/]/,
              priority: 30,
            },
            { name: 'supabase', test: /node_modules[\\/]@supabase[\\/]/, priority: 30 },
            // The pages before sign-in are small and mostly shared parts: one file instead of thirty.
            {
              name: 'sign-in',
              test: /virtual:definitions|src[\\/](i18n|data[\\/](client|errors)|pages[\\/]auth[\\/](?!auth-requests)|session[\\/](auth-error|license|passwords|read|session|stored|types|use-session)|ui[\\/](brand|connection-lost|document-title|full-screen|icons|notice|notify|plain-|text-|theme-|toast))/,
              priority: 20,
            },
            // Forms without their contexts, which every button reads: they come with the first form.
            {
              name: 'form-core',
              test: /node_modules[\\/]@rc-component[\\/](async-validator|form[\\/]es[\\/](?!\w*Context))/,
              includeDependenciesRecursively: false,
              priority: 16,
            },
            // What every private page shows of antd, with all that these stand on.
            {
              name: 'antd',
              test: /node_modules[\\/](antd[\\/]es[\\/](button|config-provider|dropdown|menu|skeleton|space|theme|tooltip)|@ant-design[\\/](icons|icons-svg)|@babel[\\/]runtime)[\\/]/,
              minShareCount: 8,
              priority: 15,
            },
            // What forms and dialogs share: it comes with the first of them. Tables and date fields stay apart.
            {
              name: 'antd-forms',
              test: /node_modules[\\/](antd|@rc-component)[\\/]/,
              minShareCount: 8,
              priority: 10,
            },
            // Without what stands on antd's dialogs: the first list would load all of antd-forms for it.
            {
              name: 'parts',
              test: /src[\\/](access|resource|ui)[\\/](?!confirm-button|guarded-confirm|leave-guard)/,
              minShareCount: 8,
              priority: 10,
            },
            // What every private page shows and nothing before it: one file instead of ten of a kilobyte.
            {
              name: 'frame',
              test: /src[\\/](ui[\\/](kiosk|page-header)|app[\\/]shell[\\/]menu-icon|access[\\/]permission-map|refine[\\/](audit-log-provider|console-refine)|resource[\\/]screens[\\/]comments[\\/]comment-slots)/,
              includeDependenciesRecursively: false,
              priority: 12,
            },
            {
              name: 'menu-icons',
              test: /@ant-design[\\/]icons(-svg)?[\\/]es[\\/](icons|asn)[\\/](Appstore|Audit|Bell|Code|CustomerService|Dashboard|Database|DeploymentUnit|Fund|Idcard|Laptop|MacCommand|SafetyCertificate|Snippets|Table|Thunderbolt)Outlined\./,
              includeDependenciesRecursively: false,
              priority: 16,
            },
            { name: 'words-en', test: /locales[\\/]en[\\/](common|auth)\.json/, priority: 30 },
            { name: 'words-tr', test: /locales[\\/]tr[\\/](common|auth)\.json/, priority: 30 },
          ],
        },
      },
    },
  },
})
