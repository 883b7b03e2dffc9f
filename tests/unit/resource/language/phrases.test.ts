import i18next from 'i18next'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { currentPhrase } from '@/resource/language/phrases'
import {
  checkEvents,
  checkNetwork,
  checkPerformance,
  checkProcess,
  checkService,
} from '../../../../agent/monitors/checks'
import type { Monitor } from '../../../../agent/monitors/monitor'
import { resourceWords } from '../../../support/resource-words'

const monitor = (more: Partial<Monitor>): Monitor => ({
  id: '00000000-0000-4000-8000-000000000000',
  type: 'Network',
  intervalSeconds: 60,
  repeatCount: 1,
  ...more,
})

describe('a stored sentence', () => {
  beforeAll(async () => {
    await i18next.init({
      lng: 'tr',
      fallbackLng: 'en',
      ns: ['resources'],
      resources: { en: { resources: resourceWords('en') }, tr: { resources: resourceWords('tr') } },
    })
  })
  afterAll(() => i18next.changeLanguage('en'))

  it('is shown in the reader’s language, its numbers too', () => {
    expect(currentPhrase('CPU at 99.4 %, above 90 %')).toBe('CPU %99,4, sınır %90')
    expect(currentPhrase('The service Spooler is stopped')).toBe('Spooler hizmeti durmuş')
    expect(currentPhrase('Offline for 15 minutes or more')).toBe('En az 15 dakikadır çevrimdışı')
    expect(currentPhrase('Event 4625 in Security: 5 or more within 15 minutes')).toBe(
      'Security günlüğünde olay 4625: 15 dakikada en az 5 kez',
    )
  })

  it('is the whole text: one without places for values goes before one with them', () => {
    expect(currentPhrase('Update the agent')).toBe('Ajanı güncelle')
    expect(currentPhrase('Update 7-Zip')).toBe('Güncelle: 7-Zip')
    expect(currentPhrase('Restart the spooler')).toBe('Restart the spooler')
    expect(currentPhrase('CPU at much %, above 90 %')).toBe('CPU at much %, above 90 %')
    // A device's own name is put in as it is.
    expect(currentPhrase('{{name}} $& is not running')).toBe('{{name}} $& çalışmıyor')
  })

  it('is compared in no time, whatever a device sends', () => {
    const hostile = `Event ${'in : or more within '.repeat(25)}`
    expect(currentPhrase(hostile)).toBe(hostile)
    const long = `${'x'.repeat(700)} is not running`
    expect(currentPhrase(long)).toBe(long)
  })

  it('stays as it is for who reads English', async () => {
    await i18next.changeLanguage('en')
    expect(currentPhrase('CPU at 99.4 %, above 90 %')).toBe('CPU at 99.4 %, above 90 %')
    await i18next.changeLanguage('tr')
  })

  it('has a translation for everything that the agent says of a failed check', async () => {
    const metrics = { cpu: 99.44, memory: 99, disk: 99 }
    const said = [
      ...['cpu', 'memory', 'disk'].map((metric) =>
        checkPerformance(monitor({ metric, abovePercent: 90 }), metrics),
      ),
      await checkProcess(monitor({ processName: 'node', processState: 'running' })),
      await checkProcess(monitor({ processName: 'no-such-program' })),
      // Nothing listens there.
      await checkNetwork(monitor({ probe: 'tcp', target: '127.0.0.1:1' })),
      await checkNetwork(monitor({ probe: 'http', target: 'http://127.0.0.1:1/' })),
      await checkNetwork(monitor({ probe: 'ping', target: 'no-such-host.invalid' })),
    ].map((finding) => finding.message)
    for (const message of said) expect(currentPhrase(message), message).not.toBe(message)
  })

  it('has a translation for every reason why a check cannot be made', async () => {
    const none = { cpu: null, memory: null, disk: null }
    const said = [
      ...['cpu', 'memory', 'disk'].map((metric) =>
        checkPerformance(monitor({ metric, abovePercent: 90 }), none),
      ),
      await checkService(monitor({ serviceName: '--user' })),
      await checkService(monitor({ serviceName: 'no-such-service' })),
      await checkEvents(monitor({ eventId: 1, logName: '/' })),
      ...(await Promise.all(
        ['ping', 'tcp', 'http'].map((probe) => checkNetwork(monitor({ probe, target: 'a b' }))),
      )),
    ].map((finding) => finding.message)
    const others = [
      'This device does not list its processes',
      'This device has no service Spooler',
      'This device has no service manager',
      'This is no name of a log: /',
      'The event log System cannot be read',
      'The check failed on this device',
    ]
    for (const message of [...said, ...others]) expect(currentPhrase(message), message).not.toBe(message)
  })

  it('has a translation for everything that the database calls a task', () => {
    const names = ['Restart', 'Shut down', 'Update the agent', 'Refresh inventory', 'Check for updates']
    for (const name of [...names, 'Install updates', 'Install 7-Zip', 'Remove 7-Zip', 'Maintenance'])
      expect(currentPhrase(name), name).not.toBe(name)
  })
})
