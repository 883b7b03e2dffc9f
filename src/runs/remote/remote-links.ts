/** A device's values that a link may hold. */
interface Named {
  id: string
  name: string
  hostname?: string | null
  ip_address?: string | null
}

const PLACEHOLDER = /\{(hostname|ip|name|id)\}/g

/** The list of links accepts these schemes only: never a script, whatever a template was changed to. */
const SCHEME = /^(https|rustdesk|rdp|ms-rd|anydesk|vnc|ssh):\/\//

/** A device names itself: a name that begins with a dash would be an option of the program that the link opens. */
const HOSTNAME = /^[\p{L}\p{N}_][\p{L}\p{N}._-]*$/u
const ADDRESS = /^[\d.]+$|^[\da-fA-F:.]*:[\da-fA-F:.]*$/
const matching = (value: string | null | undefined, form: RegExp) =>
  value && form.test(value) ? value : null

type Missing = 'hostname' | 'ip' | 'name'
/** Whether the template uses the name as its host: `ssh://admin@{name}:22`. */
const isHost = (template: string) => /^[\w-]+:\/\/[^/?#]*\{name\}/.test(template)

/** The address of a link for a device, or the value that the device lacks; null for a scheme that is not allowed. */
export function remoteAddress(
  template: string,
  device: Named,
): { href: string } | { missing: Missing } | null {
  const values: Record<string, string | null | undefined> = {
    hostname: matching(device.hostname, HOSTNAME),
    ip: matching(device.ip_address, ADDRESS),
    // A name used as a host must be a valid host name: the device can change it by its hostname.
    name: isHost(template) ? matching(device.name, HOSTNAME) : device.name,
    id: device.id,
  }
  for (const [, field] of template.matchAll(PLACEHOLDER))
    if (field !== 'id' && !values[field as Missing]) return { missing: field as Missing }
  // A device names itself: its values are text in the address, and nothing else.
  const href = template.replace(PLACEHOLDER, (_, field: string) => encodeURIComponent(values[field] ?? ''))
  return SCHEME.test(href) ? { href } : null
}
