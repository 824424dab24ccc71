import { timeLimits } from '../src/http/bounds/time-limits.ts'
import { caches } from '../src/memory/caches.ts'
import { limits } from '../src/memory/limits.ts'
import { places } from '../src/memory/places.ts'

/** Returns `docs/limits.md`, from the tables of rate limits, places and caches. */
export function printLimits(): string {
  const rows = Object.entries(limits).map(([name, limit]) => {
    const { countMax, windowSeconds, keysMax, description } = limit
    const shared = 'gathered' in limit ? `by ${limit.gathered}` : 'shared' in limit ? 'yes' : 'no'
    return `| \`${name}\` | ${countMax} | ${windowSeconds} s | ${keysMax} | ${shared} | ${description} |`
  })
  const kept = Object.entries(caches).map(([name, one]) => {
    const bound = 'entriesMax' in one ? `${one.entriesMax} entries` : `${one.bytesMax / 1_048_576} MiB`
    return `| \`${name}\` | ${bound} | ${one.ttlSeconds} s | ${one.description} |`
  })
  const shares = Object.entries(places).map(([name, place]) => {
    const most = name.endsWith('_bytes') ? `${place.countMax / 1_048_576} MiB` : place.countMax
    const each = 'each' in place ? ` each ${place.each}` : ''
    return `| \`${name}\` | ${most}${each} | ${place.waitingMax} | ${place.description} |`
  })
  return `# Rate limits and caches

Printed from \`src/memory/limits.ts\`, \`src/memory/places.ts\`, \`src/memory/caches.ts\` and
\`src/http/bounds/time-limits.ts\` by \`npm run docs\`; do not edit.

Counts run in windows that start with the first count. Each server process counts separately and evicts the least
recently used keys above the number of keys; failures of a shared limit are counted in the database too, for all
processes together, and nothing is written where nothing fails. Where the table says "by 10", a process adds ten
failures of a key at a time: they cost no statement otherwise, and a flood of them must not become a flood of writes.
Failed sign-ins with a password are always counted in the database, by name and device or network: 5, then a lock of 30
s that doubles up to 15 minutes ([SECURITY.md](../SECURITY.md)). The other limits bound the work of one process (slow
hashes, look-ups, messages), so that more processes may do more of it; the secrets behind \`attempts_of_network\` and
\`sign_ins_of_network\` are guarded by shared limits and by the lock of names. These two count an attempt before its
work and refund a success: shared, each success would be a write. A request above a limit gets 429 with \`Retry-After\`.
An address is an IPv4 address or the /64 of an IPv6 one; its /24, or /56 and /48, are counted too and may reach four and
eight times the limit. Loopback is not counted by address.

| Limit | At most | Per | Keys | Shared | Counted |
|---|---|---|---|---|---|
${rows.join('\n')}

## Places

What is scarce in a server process is shared fairly by tenant, network or caller: one of them gets a further place only
while it holds at most twice the places that remain free, less an eighth of all. So one alone has about six tenths, and
an eighth and one more go to those that hold none, however many take all that they can. What is shared by network is
shared at each width: an IPv6 address counts at its /64, /56 and /48, an IPv4 address also at its /24. With
\`TRUST_PROXY\` the address that the proxy forwards counts. Behind a proxy without it every client has the address of
the proxy, on loopback too: together they have at most six tenths of the places (one address alone a third), and one of
them can take the places of the others, so set it. Beyond a share a request gets 429 with \`Retry-After\`, and the
metric \`http_places_refused_total\` counts it.

| Places | At most | Waiting, each | Shared |
|---|---|---|---|
${shares.join('\n')}

## Time

What takes longer on a connection from the network loses the connection, and the log has a line of the request: with the
fault \`request.timeout\`, or with status 499 where the client disconnected before its answer began. A request whose
header or body is late gets 408 first.

| Limit | At most | For |
|---|---|---|
${timeRows().join('\n')}

## Caches

The caches of a server process. The least recently used entry is evicted first.

| Cache | At most | For | Content |
|---|---|---|---|
${kept.join('\n')}
`
}

function timeRows(): string[] {
  return Object.entries(timeLimits).map(
    ([name, { ms, description }]) => `| \`${name}\` | ${ms / 1000} s | ${description} |`,
  )
}
