/** Hosts that the operator lists. */
export type HostList = {
  /** Whether the list has a host name, or a suffix of it. */
  readonly hasName: (hostname: string) => boolean
  /** Whether the list has an IP address, or a network that contains it. */
  readonly hasAddress: (address: string) => boolean
}

const LABEL = '(?!-)[a-z0-9_-]{1,63}(?<!-)'
const NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`)

/**
 * Reads a list of hosts, separated by commas or white space: names (`idp.school.lan`), names below one
 * (`*.school.lan`), IP addresses, and networks (`10.20.0.0/16`, `fd00:1::/32`).
 *
 * @throws RangeError if an entry is none of these
 */
export function readHostList(text: string): HostList {
  const networks: Network[] = []
  const names = new Set<string>()
  const suffixes: string[] = []
  for (const entry of entriesOf(text)) {
    const isBelow = entry.startsWith('*.')
    const name = isBelow ? entry.slice(2) : entry
    const network = networkOf(entry)
    if (network !== null) {
      networks.push(network)
      continue
    }
    if (!isName(name)) throw new RangeError()
    if (isBelow) suffixes.push(`.${name}`)
    else names.add(name)
  }
  return {
    hasName: (hostname) => names.has(hostname) || suffixes.some((suffix) => hostname.endsWith(suffix)),
    hasAddress: (address) => isListed(networks, address),
  }
}

/**
 * Reads `NO_PROXY`: `*` for all hosts; a name for itself and the names below it, with or without a dot before it;
 * `*.name` for those below it; IP addresses and networks, which are compared with addresses in a URL, not with what a
 * name resolves to. An entry may end with a port. Other entries concern no host.
 *
 * @returns whether a URL is called without the proxy
 */
export function readNoProxy(text: string): (url: URL) => boolean {
  const rules = entriesOf(text).map(ruleOf)
  return (url) => rules.some((bypasses) => bypasses(url))
}

function ruleOf(entry: string): (url: URL) => boolean {
  const { host, port } = splitPort(entry)
  const isHost = hostRuleOf(host)
  return (url) => (port === null || port === portOf(url)) && isHost(url.hostname.replace(/^\[|\]$/g, ''))
}

function hostRuleOf(host: string): (hostname: string) => boolean {
  if (host === '*') return () => true
  const network = networkOf(host)
  if (network !== null) return (hostname) => isListed([network], hostname)
  const name = host.replace(/^\*?\./, '')
  // The variable is often set for a whole machine, for programs that read other forms.
  if (!isName(name)) return () => false
  return (hostname) => hostname.endsWith(`.${name}`) || (hostname === name && !host.startsWith('*'))
}

/** An IPv6 address with a port stands in brackets. */
function splitPort(entry: string): { readonly host: string; readonly port: string | null } {
  const [, bracketed, plain, port = null] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(entry) ?? []
  return { host: bracketed ?? plain ?? entry, port }
}

function portOf({ port, protocol }: URL): string {
  return port !== '' ? port : protocol === 'https:' ? '443' : '80'
}

function entriesOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
}

/** A name whose last label is a number would be read as an IPv4 address. */
function isName(text: string): boolean {
  return text.length <= 253 && NAME.test(text) && !/(^|\.)(\d+|0x[0-9a-f]*)$/.test(text)
}

/** An IP address as a number. `size`: in bits. */
type Address = { readonly size: 32 | 128; readonly value: bigint }
/** The addresses that begin as `value` does, up to its last `rest` bits. */
type Network = Address & { readonly rest: bigint }

/** @returns null if the entry is no address and no network */
function networkOf(entry: string): Network | null {
  const [, bracketed, plain, prefix] = /^(?:\[([^\]]+)\]|([^/]+))(?:\/(\d{1,3}))?$/.exec(entry) ?? []
  const address = addressOf(bracketed ?? plain ?? '')
  const length = prefix === undefined ? address?.size : Number(prefix)
  if (address === null || length === undefined || length > address.size) return null
  return { ...address, rest: BigInt(address.size - length) }
}

function isListed(networks: readonly Network[], text: string): boolean {
  const address = addressOf(text)
  if (address === null) return false
  return networks.some(({ size, value, rest }) => size === address.size && value >> rest === address.value >> rest)
}

function addressOf(text: string): Address | null {
  const parts = text.split('.')
  if (parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return { size: 32, value: numberOf(parts.map(Number), 8n) }
  if (!text.includes(':') || !/^[0-9a-f:.]+$/i.test(text)) return null
  // WHATWG URL parses every notation and writes eight groups, with `::` for zeros.
  const written = URL.parse(`http://[${text}]`)?.hostname.slice(1, -1)
  if (written === undefined) return null
  const [head = [], tail = []] = written.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  const groups = [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16))
  return { size: 128, value: numberOf(groups, 16n) }
}

function numberOf(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((sum, part) => (sum << bits) + BigInt(part), 0n)
}
