export type ProbeName = 'plain' | 'sql' | 'xss' | 'traversal' | 'command' | 'template'

export interface Probe {
  name: ProbeName
  text: string
}

/**
 * Strings that firewalls detect and that do no harm: they are values of a query parameter that nothing reads.
 * The first one is the baseline.
 */
export const PROBES: readonly Probe[] = [
  { name: 'plain', text: 'konsol' },
  { name: 'sql', text: "1' OR '1'='1' --" },
  { name: 'xss', text: '<script>alert(1)</script>' },
  { name: 'traversal', text: '../../../../etc/passwd' },
  { name: 'command', text: '; cat /etc/passwd' },
  { name: 'template', text: `\${jndi:ldap://localhost/a}` },
]

/** HTTP status; null where the connection gave no answer. */
export type Answer = number | null

export type Verdict = 'blocked' | 'passed' | 'unreachable'

/**
 * A firewall answers a probe differently from plain text, or drops the connection. If plain text gets no
 * response either, the result is unknown.
 */
export function judge(plain: Answer, probe: Answer): Verdict {
  if (plain === null) return 'unreachable'
  return probe === plain ? 'passed' : 'blocked'
}
