import type { PlatformProbe } from './inventory'
import { linux } from './linux'
import { macos } from './macos'
import { windows } from './windows'

/** Systems similar to Linux are read as Linux; missing values are null. */
export function thisPlatform(): PlatformProbe {
  if (process.platform === 'win32') return windows
  return process.platform === 'darwin' ? macos : linux
}
