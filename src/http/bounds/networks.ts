import { networkOf } from '../../memory/network.ts'

/**
 * Returns the networks of an address at three widths, wide to narrow: of an IPv6 address its /48, /56 and /64, since a client is assigned
 * any of them; of an IPv4 address the address each time. An address of loopback is its own network: places are shared, so a proxy without
 * `TRUST_PROXY`, behind which everybody has its address, has a large share and locks nobody out.
 */
export function networksOf(ip: string): readonly [string, string, string] {
  const narrow = networkOf(ip)
  if (narrow === null) return [ip, ip, ip]
  const [first, second, third, fourth] = narrow.split(':')
  if (fourth === undefined) return [narrow, narrow, narrow]
  const wide = `${first}:${second}:${third}`
  // Of the fourth group of 16 bits, the upper 8.
  return [wide, `${wide}:${Number.parseInt(fourth, 16) >> 8}`, narrow]
}
