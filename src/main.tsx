import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from '@/app/app'
import { startI18n } from '@/i18n'

const root = document.getElementById('root')
if (!root) throw new Error('The page has no #root element.')

// Words first: a page that paints keys and then words would flicker on every load.
await startI18n()
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
