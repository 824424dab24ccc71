/**
 * Returns the network that a rate limit counts: an IPv4 address, or the /64 of an IPv6 address, from which one client can choose addresses.
 *
 * @returns null for loopback: internal requests come from there for all users, and so do those of a proxy without `TRUST_PROXY`, behind
 * which one client could lock out all others.
 */
export function networkOf(ip: string): string | null {
  const v4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  if (v4 !== undefined) return v4.startsWith('127.') ? null : v4
  if (ip === '::1') return null
  const [head = '', tail = ''] = ip.toLowerCase().split('::')
  const [first, last] = [groupsOf(head), groupsOf(tail)]
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0')
  return [...first, ...zeros, ...last].slice(0, 4).join(':')
}

function groupsOf(text: string): string[] {
  return text.split(':').filter((group) => group !== '')
}
