import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { PRODUCT_NAME } from './src/ui/brand.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** The page's title and its word without JavaScript carry the product's one name too. */
function productName(): Plugin {
  return {
    name: 'product-name',
    transformIndexHtml: (html) => html.replaceAll('%PRODUCT_NAME%', PRODUCT_NAME),
  }
}

export default defineConfig({
  plugins: [react(), productName()],
  resolve: {
    alias: {
      '@': path('./src'),
      // Casbin can read policies from files; in a browser it never does.
      fs: path('./src/app/no-file-system.ts'),
    },
  },
  build: {
    target: 'es2022',
    // The first page is measured by `npm run bench:weight`, not by this warning.
    chunkSizeWarningLimit: 1500,
    rolldownOptions: {
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
            { name: 'words-en', test: /locales[\\/]en[\\/](common|auth)\.json/, priority: 30 },
            { name: 'words-tr', test: /locales[\\/]tr[\\/](common|auth)\.json/, priority: 30 },
          ],
        },
      },
    },
  },
})
