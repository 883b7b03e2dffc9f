// Defined by the bundler; undefined when running from source.
declare const __AGENT_VERSION__: string | undefined

export const AGENT_VERSION = typeof __AGENT_VERSION__ === 'string' ? __AGENT_VERSION__ : '0.0.0-source'
