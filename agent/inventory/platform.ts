import type { PlatformProbe } from './inventory'
import { linux } from './linux'
import { macos } from './macos'
import { windows } from './windows'

/** Systems akin to Linux are read as Linux: what they lack comes back as null. */
export function thisPlatform(): PlatformProbe {
  if (process.platform === 'win32') return windows
  return process.platform === 'darwin' ? macos : linux
}
