/** A network of an address, and how many times the limit of the narrowest one it may reach: more people share it. */
type Network = { readonly network: string; readonly times: number }

/** A /56 is a household or a small site, a /48 an organisation; a /24 of IPv4 is both. */
const TIMES = { wider: 4, widest: 8 } as const

/**
 * Returns the network that a limit counts: an IPv4 address, or the /64 of an IPv6 address, from which one client can
 * choose addresses.
 *
 * @returns null for loopback: internal requests come from there for all users, and so do those of a proxy without
 *   `TRUST_PROXY`, behind which one client could lock out all others.
 */
export function networkOf(ip: string): string | null {
  return networksOf(ip)[0]?.network ?? null
}

/**
 * Returns the networks that a limit counts, the narrowest first: /32 and /24 of an IPv4 address; /64, /56 and /48 of an
 * IPv6 one, since a client that has a /48 has 65,536 of the first.
 *
 * @returns none for loopback, as {@link networkOf}
 */
export function networksOf(ip: string): readonly Network[] {
  const v4 = /^(?:::ffff:)?(\d+\.\d+\.\d+)\.(\d+)$/i.exec(ip)
  if (v4 !== null) {
    const [, wide = '', last = ''] = v4
    if (wide.startsWith('127.')) return []
    return [
      { network: `${wide}.${last}`, times: 1 },
      { network: `${wide}.0/24`, times: TIMES.wider },
    ]
  }
  if (ip === '::1') return []
  const [a = '', b = '', c = '', d = ''] = firstGroups(ip)
  const subnet = Number.parseInt(d, 16) >> 8
  return [
    { network: [a, b, c, d].join(':'), times: 1 },
    { network: `${[a, b, c, subnet.toString(16)].join(':')}/56`, times: TIMES.wider },
    { network: `${[a, b, c].join(':')}/48`, times: TIMES.widest },
  ]
}

function firstGroups(ip: string): readonly string[] {
  const [head = '', tail = ''] = ip.toLowerCase().split('::')
  const [first, last] = [groupsOf(head), groupsOf(tail)]
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0')
  return [...first, ...zeros, ...last].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''))
}

function groupsOf(text: string): string[] {
  return text.split(':').filter((group) => group !== '')
}
