export type ProbeName = 'plain' | 'sql' | 'xss' | 'traversal' | 'command' | 'template'

export interface Probe {
  name: ProbeName
  text: string
}

/**
 * Texts that firewalls know and that harm nothing: they travel as the value of a query parameter nobody
 * reads. The first is what the others are compared with.
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
 * A firewall answers a probe otherwise than it answers plain text, or cuts it off. Where plain text gets no
 * answer either, nothing can be told.
 */
export function judge(plain: Answer, probe: Answer): Verdict {
  if (plain === null) return 'unreachable'
  return probe === plain ? 'passed' : 'blocked'
}
