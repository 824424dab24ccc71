/**
 * What of an address is counted: an IPv4 address, or the /64 of an IPv6 one, which is what one caller has to choose from.
 *
 * @returns null for the machine itself: our own wallet calls from there for all its users, and so does a proxy that was not declared
 * (`TRUST_PROXY`), behind which one caller could lock out all others.
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
