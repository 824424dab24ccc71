import { networksOf } from '../../memory/network.ts'

/**
 * Returns the networks of an address by which places are shared, wide to narrow. An address of loopback is its own
 * network: a proxy without `TRUST_PROXY`, behind which every client has its address, has a large share and locks no
 * client out.
 */
export function placeNetworks(ip: string): readonly [string, ...string[]] {
  const [widest = ip, ...rest] = networksOf(ip)
    .map(({ network }) => network)
    .toReversed()
  return [widest, ...rest]
}
