import { describe, expect, it } from 'vitest'
import { parseAptUpgrades } from '../../agent/patches/apt-patches'
import { parseSoftwareUpdates } from '../../agent/patches/software-update'
import { INSTALL_SCRIPT, parseWindowsUpdates } from '../../agent/patches/windows-update'

describe('updates', () => {
  it('are read from apt, with their sizes and without new packages', () => {
    const simulated = [
      'NOTE: This is only a simulation!',
      'Inst base-files [12.4+deb12u11] (12.4+deb12u15 Debian:12.15/oldstable [amd64])',
      'Inst linux-image-6.1.0-40-amd64 (6.1.153-1 Debian-Security:12/oldstable-security [amd64])',
      'Inst linux-image-amd64 [6.1.140-1] (6.1.153-1 Debian-Security:12/oldstable-security [amd64])',
      'Inst libssl3:i386 [3.0.16-1] (3.0.17-1 Debian-Security:12/oldstable-security [i386]) []',
      'Conf base-files (12.4+deb12u15 Debian:12.15/oldstable [amd64])',
    ].join('\n')
    const uris = [
      "'http://deb.debian.org/debian/pool/main/b/base-files/base-files_12.4+deb12u15_amd64.deb' base-files_12.4+deb12u15_amd64.deb 70884 SHA256:1",
      "'http://deb.debian.org/debian/pool/x_1%3a2.deb' other_1%3a2_amd64.deb 10 MD5Sum:2",
    ].join('\n')
    expect(parseAptUpgrades(simulated, uris)).toEqual([
      expect.objectContaining({
        title: 'base-files',
        kb_number: '12.4+deb12u15',
        installed_version: '12.4+deb12u11',
        category: 'application',
        severity: 'unspecified',
        size_mb: 0.07,
        reboot_required: false,
      }),
      expect.objectContaining({
        title: 'libssl3',
        category: 'security',
        severity: 'important',
        size_mb: null,
        reboot_required: false,
      }),
      expect.objectContaining({ title: 'linux-image-amd64', kb_number: '6.1.153-1', reboot_required: true }),
    ])
    expect(parseAptUpgrades('', '')).toEqual([])
  })

  it('are read from Windows Update, missing and installed', () => {
    const entries = [
      {
        title: '2026-11 Cumulative Update for Windows 11 (KB5046617)',
        kb: ['5046617'],
        installed: false,
        severity: 'Critical',
        categories: ['0FA1201D-4330-4FA8-8AE9-B877473B6441'],
        size: 734_003_200,
        date: '2026-11-10',
        reboot: true,
      },
      {
        title: 'Printer driver',
        kb: [],
        installed: false,
        severity: '',
        categories: [],
        size: 0,
        date: '',
        reboot: false,
      },
      { title: 'Old', kb: '123', installed: true },
    ]
    expect(parseWindowsUpdates(`\uFEFF${JSON.stringify(entries)}\r\n`)).toEqual({
      missing: [
        {
          title: '2026-11 Cumulative Update for Windows 11 (KB5046617)',
          kb_number: 'KB5046617',
          category: 'security',
          severity: 'critical',
          size_mb: 700,
          release_date: '2026-11-10',
          reboot_required: true,
        },
        {
          title: 'Printer driver',
          kb_number: '',
          category: 'other',
          severity: 'unspecified',
          size_mb: null,
          release_date: null,
          reboot_required: false,
        },
      ],
      installed: [{ title: 'Old', kb_number: 'KB123' }],
    })
    // PowerShell prints a list of one as the one, and of none as nothing.
    expect(parseWindowsUpdates(JSON.stringify(entries[2]))).toEqual({
      missing: [],
      installed: [{ title: 'Old', kb_number: 'KB123' }],
    })
    expect(parseWindowsUpdates('')).toEqual({ missing: [], installed: [] })
    expect(parseWindowsUpdates('Exception calling "Search"')).toBeNull()
    expect(INSTALL_SCRIPT).toContain('$env:PARAM_PATCHES')
  })

  it('are read from softwareupdate, old and new', () => {
    const output = `Software Update Tool

Finding available software
Software Update found the following new or updated software:
* Label: Safari17.1VenturaAuto-17.1
	Title: Safari, Version: 17.1, Size: 148284KiB, Recommended: YES, 
* Label: macOS Sonoma 14.1-23B74
	Title: macOS Sonoma 14.1, Version: 14.1, Size: 6113871K, Recommended: YES, Action: restart, 
`
    expect(parseSoftwareUpdates(output)).toEqual([
      expect.objectContaining({
        label: 'Safari17.1VenturaAuto-17.1',
        title: 'Safari',
        kb_number: '17.1',
        size_mb: 144.81,
        reboot_required: false,
      }),
      expect.objectContaining({ title: 'macOS Sonoma 14.1', category: 'feature', reboot_required: true }),
    ])
    expect(parseSoftwareUpdates('No new software available.\n')).toEqual([])
  })
})
