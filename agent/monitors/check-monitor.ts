import type { Metrics } from '../inventory/metrics'
import { checkEvents, checkNetwork, checkPerformance, checkProcess, checkService } from './checks'
import type { Finding, Monitor } from './monitor'

/** Makes the check of a monitor once. */
export async function checkMonitor(monitor: Monitor, metrics: () => Promise<Metrics>): Promise<Finding> {
  switch (monitor.type) {
    case 'Performance':
      return checkPerformance(monitor, await metrics())
    case 'Process':
      return checkProcess(monitor)
    case 'Service':
      return checkService(monitor)
    case 'Network':
      return checkNetwork(monitor)
    case 'Event ID':
      return checkEvents(monitor)
  }
}
