import { describe, expect, it } from 'vitest'
import { remoteAddress } from '@/runs/remote/remote-links'

const device = { id: 'd-1', name: 'PC 1', hostname: 'pc-1', ip_address: '10.0.0.7' }

describe('the address of a remote link', () => {
  it.each([
    ['rustdesk://{hostname}', 'rustdesk://pc-1'],
    ['rdp://full%20address=s:{ip}', 'rdp://full%20address=s:10.0.0.7'],
    [
      'https://mesh.example.com/?name={name}&id={id}&other={other}',
      'https://mesh.example.com/?name=PC%201&id=d-1&other={other}',
    ],
  ])('fills in %s', (template, href) => {
    expect(remoteAddress(template, device)).toEqual({ href })
  })

  it('takes the values of a device as text, whatever they are', () => {
    const hostile = { ...device, name: 'x/../?a=1#"><script>' }
    expect(remoteAddress('https://a.test/{name}', hostile)).toEqual({
      href: 'https://a.test/x%2F..%2F%3Fa%3D1%23%22%3E%3Cscript%3E',
    })
    expect(remoteAddress('{name}', { ...device, name: 'javascript:alert(1)' })).toBeNull()
    for (const template of [
      'javascript:alert(1)',
      ' https://a.test',
      'file:///etc/passwd',
      'data:text/html,x',
    ])
      expect(remoteAddress(template, device)).toBeNull()
  })

  it.each(['-oProxyCommand=calc', 'x/../y', 'a b', '.x'])('does not take %s for a hostname', (hostname) => {
    expect(remoteAddress('ssh://{hostname}', { ...device, hostname })).toEqual({ missing: 'hostname' })
  })

  it('takes a name for a host only where it is one', () => {
    const named = { ...device, name: '-oProxyCommand=calc' }
    expect(remoteAddress('ssh://admin@{name}:22', named)).toEqual({ missing: 'name' })
    expect(remoteAddress('ssh://{name}', { ...device, name: 'pc-7' })).toEqual({ href: 'ssh://pc-7' })
    expect(remoteAddress('https://a.test/?q={name}', named)).toEqual({
      href: 'https://a.test/?q=-oProxyCommand%3Dcalc',
    })
  })

  it.each(['attacker.test:3389', 'attacker.test', '10.0.0.7/x', '-1'])(
    'does not take %s for an address',
    (ip_address) => {
      expect(remoteAddress('rdp://{ip}', { ...device, ip_address })).toEqual({ missing: 'ip' })
    },
  )

  it('takes an IPv6 address', () => {
    expect(remoteAddress('ssh://{ip}', { ...device, ip_address: 'fe80::1' })).toEqual({
      href: 'ssh://fe80%3A%3A1',
    })
  })

  it('says which value the device lacks', () => {
    expect(remoteAddress('rdp://{ip}', { ...device, ip_address: null })).toEqual({ missing: 'ip' })
    expect(remoteAddress('rustdesk://{hostname}', { id: 'd', name: 'x' })).toEqual({ missing: 'hostname' })
  })
})
