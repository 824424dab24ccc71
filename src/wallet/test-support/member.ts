import type { Caller, UserId } from '../../caller.ts'
import { setConsent } from '../credentials/set-consent.ts'
import { acceptOffer } from '../offers/accept-offer.ts'
import { foreignIssuer, type Lies } from './foreign-issuer.ts'
import { foreignVct } from './foreign-signer.ts'
import type { ForeignVerifier } from './foreign-verifier.ts'
import type { Bench } from './wallet-platform.ts'

/** A credential query for what the foreign issuer issues. */
export const membership = {
  id: 'm',
  format: 'dc+sd-jwt',
  meta: { vct_values: [foreignVct] },
  claims: [{ path: ['member', 'number'] }, { path: ['clubs', null] }],
}

/** A person with one accepted membership of the given number of copies. */
export async function aMember(
  bench: Bench,
  copies = 1,
): Promise<{ thandi: Caller & { userId: UserId }; credentialId: string }> {
  const thandi = await bench.person()
  return { thandi, credentialId: await receive(bench, thandi, copies) }
}

/** Receives a membership for a person and accepts it. */
export async function receive(bench: Bench, person: Caller, copies = 1, lies: Lies = {}): Promise<string> {
  const issuer = await foreignIssuer(copies === 1 ? {} : { batchSize: copies })
  issuer.lie(lies)
  const { credentials } = await acceptOffer(bench.platform, person, { credentialOffer: issuer.offerUri })
  const [credential] = credentials
  await issuer.close()
  const id = credential?.id ?? ''
  await setConsent(bench.platform, person, id, 'accepted')
  return id
}

/** The presentations for one query in an answer that a verifier received. */
export function presented({ posted }: ForeignVerifier, at = 0, id = 'm'): string[] {
  return JSON.parse(posted[at]?.get('vp_token') ?? '{}')[id]
}
