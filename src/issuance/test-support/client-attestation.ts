import { SignJWT } from 'jose'
import { toBase64url } from '../../crypto/base64url.ts'
import { generateKeyPair } from '../../crypto/jwk.ts'
import { newId } from '../../store/row-id.ts'
import { createTrustedEntity } from '../../trust/trusted-entities/trusted-entities.ts'
import { callerOf, type Issuer, type Tenant } from './issuer.ts'

type Pair = ReturnType<typeof generateKeyPair>
/** What a test changes in the two JWTs; an undefined claim is left out. */
export type AttestationChange = {
  readonly header?: object
  readonly claims?: object
  readonly by?: Pair['privateKey']
  readonly popHeader?: object
  readonly popClaims?: object
  readonly popBy?: Pair['privateKey']
  /** Instead of an attestation of {@link provider}. */
  readonly attestation?: string
}

/** A wallet provider: a DID that holds its own key. */
export const provider = generateKeyPair()
/** Its DID. */
export const providerDid = `did:jwk:${toBase64url(JSON.stringify(provider.publicJwk))}`
/** The key of the wallet instance. */
export const instance = generateKeyPair()
/** The id of the wallet product. */
export const walletId = 'https://wallet.example'

/** Lets a tenant trust the wallet provider. */
export async function trustProvider({ platform }: Issuer, tenant: Tenant): Promise<void> {
  const entity = { name: 'Wallet provider', dids: [{ did: providerDid }], purposes: ['attester' as const] }
  await createTrustedEntity(platform, callerOf(tenant), entity)
}

/** Returns a challenge of the issuer. */
export async function aChallenge(issuer: Issuer, tenant = issuer.tenant): Promise<string> {
  return (await issuer.open(`/issuers/${tenant.slug}/challenge`, { method: 'POST' })).body.attestation_challenge
}

/** The headers of a wallet with an attestation in the shape of draft 07, signed by jose. */
export async function attestationHeaders(
  issuer: Issuer,
  challenge: string | undefined,
  change: AttestationChange = {},
  tenant = issuer.tenant,
): Promise<Record<string, string>> {
  const iat = issuer.clock.at.getTime() / 1000
  const claims = { iss: 'https://provider.example', sub: walletId, iat, exp: iat + 3600, ...cnf }
  const attestation = new SignJWT({ ...claims, ...change.claims })
    .setProtectedHeader({
      alg: 'ES256',
      typ: 'oauth-client-attestation+jwt',
      kid: `${providerDid}#0`,
      ...change.header,
    })
    .sign(change.by ?? provider.privateKey)
  const aud = issuer.platform.urls.issuer(tenant.slug)
  const pop = new SignJWT({
    iss: walletId,
    aud,
    jti: newId(),
    iat,
    challenge: challenge || undefined,
    ...change.popClaims,
  })
    .setProtectedHeader({ alg: 'ES256', typ: 'oauth-client-attestation-pop+jwt', ...change.popHeader })
    .sign(change.popBy ?? instance.privateKey)
  return {
    'oauth-client-attestation': change.attestation ?? (await attestation),
    'oauth-client-attestation-pop': await pop,
  }
}

/** What changes in the headers for another instance of the wallet, which the same provider vouches for. */
export function ofInstance({ publicJwk, privateKey }: Pair): AttestationChange {
  return { claims: { cnf: { jwk: publicJwk } }, popBy: privateKey }
}

const cnf = { cnf: { jwk: instance.publicJwk } }
