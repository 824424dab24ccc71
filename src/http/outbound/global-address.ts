import { BlockList, isIP } from 'node:net'

/** Special-purpose IPv4 ranges. @see IANA IPv4 Special-Purpose Address Registry, RFC 6890 */
const notGlobal4 = listOf('ipv4', [
  '0.0.0.0/8', // this host, this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, with the metadata services of clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, limited broadcast
])

/**
 * Only this is global unicast; IPv4-mapped, NAT64, ULA, link-local, site-local and multicast addresses lie outside. RFC
 * 4291 2.4
 */
const global6 = listOf('ipv6', ['2000::/3'])

const notGlobal6 = listOf('ipv6', [
  '2001::/23', // Teredo, ORCHID, protocol assignments
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: embeds an IPv4 address
  '3fff::/20', // documentation
])

const loopback = listOf('ipv4', ['127.0.0.0/8'])

/** Addresses of private networks. @see RFC 1918, RFC 6598 */
const private4 = listOf('ipv4', ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16'])
/** @see RFC 4193 */
const private6 = listOf('ipv6', ['fc00::/7'])
/** Metadata services of clouds among them. */
const metadata6 = listOf('ipv6', ['fd00:ec2::/32', 'fd20:ce::254/128'])

/** Whether an IP address is global unicast. False for everything else, names included. [9.2] */
export function isGlobalAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !notGlobal4.check(address, 'ipv4')
  // A zone (fe80::1%eth0) names an interface of this machine.
  if (family !== 6 || address.includes('%')) return false
  return global6.check(address, 'ipv6') && !notGlobal6.check(address, 'ipv6')
}

/** Whether an IP address is loopback: 127.0.0.0/8 or ::1, in no other notation. */
export function isLoopbackAddress(address: string): boolean {
  return isIP(address) === 4 ? loopback.check(address, 'ipv4') : address === '::1'
}

/**
 * Whether an IP address is one of a private network: not loopback, not link-local, not a metadata service of a cloud.
 */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return private4.check(address, 'ipv4') && address !== '100.100.100.200'
  if (family !== 6 || address.includes('%')) return false
  return private6.check(address, 'ipv6') && !metadata6.check(address, 'ipv6')
}

function listOf(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [net = '', bits = ''] = range.split('/')
    list.addSubnet(net, Number(bits), family)
  }
  return list
}
