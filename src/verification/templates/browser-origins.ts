import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { asPeerUrl } from '../../protocols/shape.ts'

type Protocol = 'signed' | 'unsigned' | 'multisigned'

/**
 * Validates the origins of pages that may request a presentation: https, without a path. [VP-D3]
 *
 * @returns by default signed requests, then unsigned ones
 * @throws Fault `request.invalid`
 */
export function readBrowserOptions(
  {
    origins,
    protocols = ['signed', 'unsigned'],
  }: { readonly origins: readonly string[]; readonly protocols?: readonly Protocol[] },
  { config }: Pick<Platform, 'config'>,
): { readonly origins: readonly string[]; readonly protocols: readonly Protocol[] } {
  const detail = 'An origin must be the scheme https and a host, with its port if that is not 443, and nothing else.'
  const violations = origins.flatMap((origin, i) => {
    const url = asPeerUrl(origin, { allowHttpLoopback: config.isDevelopment })
    // Wallets compare it as text, so it must be spelled as browsers do.
    return url !== null && url.origin === origin ? [] : { detail, pointer: `/digitalCredentials/origins/${i}` }
  })
  if (violations.length > 0) throw new Fault('request.invalid', { violations })
  return { origins, protocols }
}
