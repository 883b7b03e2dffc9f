import { describe, expect, it } from 'vitest'
import {
  arrangedSoftware,
  createInventorySource,
  type Inventory,
  inventoryHash,
  type PlatformProbe,
  type SystemFacts,
} from '../../agent/inventory/inventory'
import {
  parseAdapters,
  parseDefaultRoute,
  parseMounts,
  parseOsRelease,
  parseWho,
} from '../../agent/inventory/linux'
import {
  parseApk,
  parseDpkg,
  parsePacman,
  parseRpm,
  publisherName,
} from '../../agent/inventory/linux-packages'
import {
  parseApplications,
  parseBootTime,
  parseDf,
  parseDisplays,
  parseHardware,
  parsePlatformUuid,
  parseSwVers,
} from '../../agent/inventory/macos'
import { mainAddress, meaningful } from '../../agent/inventory/shared'
import { parseWindows, windowsName } from '../../agent/inventory/windows'

describe('Linux', () => {
  it.each([
    [
      'NAME="Ubuntu"\nVERSION="22.04.5 LTS (Jammy Jellyfish)"\nVERSION_ID="22.04"\nID=ubuntu\n',
      'Ubuntu',
      '22.04.5 LTS',
    ],
    [
      'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian GNU/Linux"\nVERSION_ID="12"\nVERSION="12 (bookworm)"',
      'Debian GNU/Linux',
      '12',
    ],
    ["NAME='Rocky Linux'\nVERSION_ID='9.4'\n# comment\n", 'Rocky Linux', '9.4'],
    ['NAME="Alpine Linux"\nID=alpine\nVERSION_ID=3.20.1\n', 'Alpine Linux', '3.20.1'],
    ['NAME="Arch Linux"\nBUILD_ID=rolling\n', 'Arch Linux', 'rolling'],
    ['', null, null],
  ])('tells the distribution and its version apart: %#', (text, os, os_version) => {
    expect(parseOsRelease(text)).toEqual({ os, os_version })
  })

  it('lists disks once, and nothing the kernel makes up', () => {
    const text = `proc /proc proc rw 0 0
/dev/sda2 / ext4 rw 0 0
/dev/sda1 /boot/efi vfat rw 0 0
/dev/sda2 /var/snap ext4 rw 0 0
/dev/sdb1 /mnt/My\\040Disk xfs rw 0 0
tmpfs /run tmpfs rw 0 0
/dev/loop3 /snap/core/1 squashfs ro 0 0
overlay /var/lib/docker/overlay2/x/merged overlay rw 0 0
`
    expect(parseMounts(text).map(({ mount }) => mount)).toEqual(['/', '/boot/efi', '/mnt/My Disk'])
    expect(parseMounts('overlay / overlay rw 0 0\nproc /proc proc rw 0 0')).toEqual([
      { device: 'overlay', mount: '/', filesystem: 'overlay' },
    ])
  })

  it('finds the way out and who is signed in', () => {
    expect(
      parseDefaultRoute('Iface\tDestination\tGateway\neth1\t0000A8C0\t0\neth0\t00000000\t0100A8C0\n'),
    ).toBe('eth0')
    expect(parseDefaultRoute('Iface\tDestination\n')).toBeNull()
    expect(parseWho('ayse     tty2         2026-11-20 08:12 (tty2)\nroot pts/0\n')).toBe('ayse')
    expect(parseWho('')).toBeNull()
    const devices = [
      '00:00.0 "Host bridge" "Intel Corporation" "Device 9b61" -r0c "Lenovo" "Device 22b1"',
      '00:02.0 "VGA compatible controller" "Intel Corporation" "UHD Graphics" -r02 "Lenovo" "Device 22b1"',
      '01:00.0 "3D controller" "NVIDIA Corporation" "GP108M [GeForce MX250]" -ra1 "" ""',
    ]
    expect(parseAdapters(devices.join('\n'))).toBe(
      'Intel Corporation UHD Graphics, NVIDIA Corporation GP108M [GeForce MX250]',
    )
    expect(parseAdapters('')).toBeNull()
  })

  it('reads dpkg: what is installed, not what was removed', () => {
    const text = [
      'ii \tcurl\tamd64\t7.88.1-10\tAlessandro Ghedini <ghedo@debian.org>\t491',
      'rc \told\tamd64\t1.0\tSomebody <a@b.c>\t12',
      'ii \tlibc6\tarm64\t2.36\tGNU Libc Maintainers <x@y.z>\t',
      '',
    ].join('\n')
    expect(
      parseDpkg(text, (name, architecture) =>
        `${name}:${architecture}` === 'curl:amd64' ? '2026-03-04' : null,
      ),
    ).toEqual([
      {
        name: 'curl',
        version: '7.88.1-10',
        publisher: 'Alessandro Ghedini',
        install_date: '2026-03-04',
        size_mb: 0.48,
      },
      {
        name: 'libc6',
        version: '2.36',
        publisher: 'GNU Libc Maintainers',
        install_date: null,
        size_mb: null,
      },
    ])
  })

  it('reads rpm, apk and pacman', () => {
    expect(
      parseRpm(
        'bash\t5.1.8-9.el9\tRocky\t1704067200\t7738778\ngpg-pubkey\t1-2\t(none)\t1\t0\nx\t1-1\t(none)\t?\t?\n',
      ),
    ).toEqual([
      {
        name: 'bash',
        version: '5.1.8-9.el9',
        publisher: 'Rocky',
        install_date: expect.stringMatching(/^202[34]-\d\d-\d\d$/),
        size_mb: 7.38,
      },
      { name: 'x', version: '1-1', publisher: null, install_date: null, size_mb: null },
    ])
    expect(
      parseApk('C:Q1\nP:musl\nV:1.2.5-r0\nI:634880\nm:Timo Teräs <t@x.y>\n\nP:busybox\nV:1.36\n'),
    ).toMatchObject([
      { name: 'musl', version: '1.2.5-r0', publisher: 'Timo Teräs', size_mb: 0.61 },
      { name: 'busybox', version: '1.36' },
    ])
    expect(parsePacman('linux 6.9.1-1\n\n')).toEqual([
      { name: 'linux', version: '6.9.1-1', publisher: null, install_date: null, size_mb: null },
    ])
    expect(publisherName('<only@mail.address>')).toBeNull()
  })
})

describe('Windows', () => {
  it.each([
    ['Microsoft Windows 11 Pro', 22631, 'Windows 11'],
    ['Microsoft Windows 10 Pro', 22000, 'Windows 11'],
    ['Microsoft Windows 10 Enterprise LTSC', 19044, 'Windows 10'],
    ['Microsoft Windows Server 2022 Standard', 20348, 'Windows Server 2022 Standard'],
    ['', 0, null],
  ])('%s (%i) is %s', (caption, build, name) => {
    expect(windowsName(caption, build)).toBe(name)
  })

  it('reads what its script prints, one disk or program not being a list', () => {
    const facts = parseWindows(
      `\uFEFF${JSON.stringify({
        caption: 'Microsoft Windows 11 Pro',
        build: '22631',
        revision: '4460',
        release: '23H2',
        boot: '2026-11-20T06:30:00Z',
        make: 'LENOVO',
        model: 'ThinkPad T14',
        serial: 'To be filled by O.E.M.',
        user: 'ACME\\ayse',
        route: 'Wi-Fi',
        reboot: true,
        gpus: ['Intel(R) UHD Graphics 620', 'NVIDIA GeForce MX250', ''],
        disks: { device: 'C:', filesystem: 'NTFS', size: 511_000_000_000, free: '100000000000' },
        software: [
          { name: '7-Zip', version: '24.08', publisher: 'Igor Pavlov', date: '20260131', kb: 5800 },
          { name: 'Odd', version: '', publisher: '', date: '1/31/2026', kb: null },
          'nonsense',
        ],
      })}`,
    )
    expect(facts).toEqual({
      os: 'Windows 11',
      os_version: '23H2 (22631.4460)',
      make: 'LENOVO',
      model: 'ThinkPad T14',
      serial: null,
      gpu: 'Intel(R) UHD Graphics 620, NVIDIA GeForce MX250',
      logged_in_user: 'ACME\\ayse',
      boot_time: '2026-11-20T06:30:00Z',
      reboot_required: true,
      outward: 'Wi-Fi',
      disks: [{ device: 'C:', mount: 'C:', filesystem: 'NTFS', total_mb: 487_328, free_mb: 95_367 }],
      software: [
        {
          name: '7-Zip',
          version: '24.08',
          publisher: 'Igor Pavlov',
          install_date: '2026-01-31',
          size_mb: 5.66,
        },
        { name: 'Odd', version: '', publisher: null, install_date: null, size_mb: null },
      ],
    })
  })

  it('takes nothing for something that is not its answer', () => {
    for (const text of ['', 'The term Get-CimInstance is not recognized', '[]', '7'])
      expect(parseWindows(text)).toBeNull()
  })
})

describe('macOS', () => {
  it('reads its versions, hardware, disks and boot time', () => {
    expect(parseSwVers('ProductName:\t\tmacOS\nProductVersion:\t\t15.1.1\nBuildVersion:\t\t24B91\n')).toEqual(
      {
        os: 'macOS',
        os_version: '15.1.1',
      },
    )
    expect(parseSwVers('ProductName:\tMac OS X\nProductVersion:\t10.15.7\n').os).toBe('macOS')
    expect(parseSwVers('')).toEqual({ os: null, os_version: null })
    expect(
      parseHardware(
        JSON.stringify({
          SPHardwareDataType: [{ machine_name: 'MacBook Air', serial_number: 'C02X', chip_type: 'Apple M2' }],
        }),
      ),
    ).toEqual({ model: 'MacBook Air', serial: 'C02X', chip: 'Apple M2' })
    expect(
      parseDisplays(
        JSON.stringify({
          SPDisplaysDataType: [{ sppci_model: 'Apple M2' }, { _name: 'Radeon' }, { sppci_model: 'Apple M2' }],
        }),
      ),
    ).toBe('Apple M2, Radeon')
    expect(parseHardware('no json')).toEqual({ model: null, serial: null, chip: null })
    expect(
      parseDf(`Filesystem   1024-blocks      Used Available Capacity  Mounted on
/dev/disk3s1s1   482797652  10485760 209715200     5%    /
devfs                  200       200         0   100%    /dev
/dev/disk3s6     482797652   2097152 209715200     1%    /System/Volumes/VM
/dev/disk5s1      97656250     97656  97558594     1%    /Volumes/My Disk
`).map(({ mount, total_mb }) => [mount, total_mb]),
    ).toEqual([
      ['/', 471_482],
      ['/Volumes/My Disk', 95_367],
    ])
    expect(parseBootTime('{ sec = 1700000000, usec = 12 } Tue Nov 14 22:13:20 2023')).toBe(
      '2023-11-14T22:13:20Z',
    )
    expect(parsePlatformUuid('    "IOPlatformUUID" = "A1B2"\n')).toBe('A1B2')
  })

  it('reads its applications and who signed them', () => {
    expect(
      parseApplications(
        JSON.stringify({
          SPApplicationsDataType: [
            {
              _name: 'Firefox',
              version: '132.0',
              lastModified: '2026-10-29T10:00:00Z',
              signed_by: ['Developer ID Application: Mozilla Corporation (43AQ936H96)', 'Apple Root CA'],
            },
            { version: '1' },
          ],
        }),
      ),
    ).toEqual([
      {
        name: 'Firefox',
        version: '132.0',
        publisher: 'Mozilla Corporation',
        install_date: '2026-10-29',
        size_mb: null,
      },
    ])
  })
})

describe('what all systems share', () => {
  it('drops what makers leave in the firmware instead of a value', () => {
    for (const text of [
      'To Be Filled By O.E.M.',
      'Default string',
      ' None ',
      '0000',
      'Not Specified',
      '',
      null,
    ])
      expect(meaningful(text)).toBeNull()
    expect(meaningful(' Dell   Inc.\0 ')).toBe('Dell Inc.')
  })

  it('chooses the address that leads out', () => {
    const network = [
      { name: 'docker0', mac: '', addresses: ['172.17.0.1'] },
      { name: 'eth0', mac: '', addresses: ['fe80::1', '192.168.1.7'] },
    ]
    expect(mainAddress(network, 'eth0')).toBe('192.168.1.7')
    expect(mainAddress(network, null)).toBe('172.17.0.1')
    expect(mainAddress([{ name: 'eth0', mac: '', addresses: ['fe80::1', '2001:db8::7'] }], 'eth0')).toBe(
      '2001:db8::7',
    )
    expect(mainAddress([], 'eth0')).toBeNull()
  })

  const facts: SystemFacts = {
    os: 'Ubuntu',
    os_version: '24.04',
    make: null,
    model: null,
    serial: null,
    cpu: null,
    gpu: null,
    cpu_cores: 1,
    memory_mb: 1,
    disks: [{ device: 'a', mount: '/', filesystem: 'ext4', total_mb: 10, free_mb: 5 }],
    network: [],
    ip_address: null,
    logged_in_user: null,
    boot_time: null,
    reboot_required: false,
    software: [],
  }

  it('hashes what lasts: free space moves without the inventory being new', () => {
    const inventory: Inventory = { timezone: null, hostname: 'a', ...facts }
    const moved = {
      ...inventory,
      disks: [{ device: 'a', mount: '/', filesystem: 'ext4', total_mb: 10, free_mb: 4 }],
    }
    expect(inventoryHash(moved)).toBe(inventoryHash(inventory))
    expect(inventoryHash({ ...inventory, os_version: '24.10' })).not.toBe(inventoryHash(inventory))
  })

  it('lists software in one order and once, at most 5,000', () => {
    const entry = (name: string, version = '1') => ({
      name,
      version,
      publisher: null,
      install_date: null,
      size_mb: null,
    })
    expect(
      arrangedSoftware([entry('b'), entry(' a '), entry('b'), entry('a', '0'), entry(' ')]).map(
        ({ name, version }) => name + version,
      ),
    ).toEqual(['a0', 'a1', 'b1'])
    expect(arrangedSoftware(Array.from({ length: 6000 }, (_, i) => entry(`p${i}`)))).toHaveLength(5000)
  })

  it('goes on without an inventory that cannot be read', async () => {
    const probe: PlatformProbe = {
      platform: 'linux',
      machineId: async () => null,
      facts: () => Promise.reject(new Error('no such thing')),
    }
    const { inventory, hash } = await createInventorySource(probe).current()
    expect(inventory.software).toEqual([])
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
  })
})
