// Runs before the first paint, so that a dark console never flashes white. A file of its own because the
// content security policy allows no inline script.
;(() => {
  let choice = null
  try {
    choice = window.localStorage.getItem('theme')
  } catch {
    // Storage is forbidden: follow the system.
  }
  const dark =
    choice === 'dark' || (choice !== 'light' && window.matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  document.documentElement.style.colorScheme = dark ? 'dark' : 'light'
})()
