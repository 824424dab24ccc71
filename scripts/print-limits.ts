import { limits } from '../src/memory/limits.ts'

/** `docs/limits.md`, from the table of rate limits. */
export function printLimits(): string {
  const rows = Object.entries(limits).map(([name, { countMax, windowSeconds, keysMax, description }]) => {
    return `| \`${name}\` | ${countMax} | ${windowSeconds} s | ${keysMax} | ${description} |`
  })
  return `# Rate limits

Printed from \`src/memory/limits.ts\` by \`npm run docs\`; do not edit.

Each server process counts for itself, from the first time of a window, and forgets the least recently used keys above the number of keys. A request above a
limit gets 429 with \`Retry-After\`. An address is an IPv4 address or the /64 of an IPv6 one; the machine itself is not counted by address.

| Limit | At most | Per | Keys | Counted |
|---|---|---|---|---|
${rows.join('\n')}
`
}
