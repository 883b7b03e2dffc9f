// Defined by the bundler; undefined when running from source.
declare const __AGENT_VERSION__: string | undefined

export const SOURCE_VERSION = '0.0.0-source'

/** The version of a bundle is its release and a hash of its content: `0.2.0+3f9c1a7be204`. */
export const AGENT_VERSION = typeof __AGENT_VERSION__ === 'string' ? __AGENT_VERSION__ : SOURCE_VERSION
