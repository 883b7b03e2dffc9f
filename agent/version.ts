// Put in by the bundler; running from source there is none.
declare const __AGENT_VERSION__: string | undefined

export const AGENT_VERSION = typeof __AGENT_VERSION__ === 'string' ? __AGENT_VERSION__ : '0.0.0-source'
