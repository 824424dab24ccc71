import type { TenantId } from '../../caller.ts'
import { sha256 } from '../../crypto/digest.ts'
import { readOwnJson } from '../../crypto/json.ts'
import { generateKeyPair, type KeyPair, privateKeyFromPkcs8, publicJwkOf } from '../../crypto/jwk.ts'
import { Fault } from '../../fault.ts'
import type { Sealing } from '../../keys/sealing.ts'
import type { Configuration } from '../../protocols/openid4vci/credential-configuration.ts'
import type { CredentialResponse } from '../../protocols/openid4vci/credential-response.ts'
import type { IssuerMetadata } from '../../protocols/openid4vci/issuer-metadata.ts'
import type { TokenResponse } from '../../protocols/openid4vci/token-response.ts'

/** How many copies of a credential a wallet asks for at most, however many the issuer would give. */
export const COPIES_MAX = 10
const DATASETS_MAX = 16

/** Where the issuer is asked and told. */
export type IssuerPlaces = Pick<
  IssuerMetadata,
  'credentialIssuer' | 'credentialEndpoint' | 'nonceEndpoint' | 'deferredEndpoint' | 'notificationEndpoint'
>

/** One credential to ask for, with the keys that its copies are to be bound to; without keys it is bound to none. */
export type Dataset = {
  readonly configuration: Configuration
  readonly credentialIdentifier: string | null
  readonly keys: readonly KeyPair[]
  /** What the issuer answered; null: nothing yet. What it has issued is not asked for again: it may give a credential once only. */
  readonly answer: CredentialResponse | null
}

/** Everything that is needed to fetch what a redeemed offer promised, and to fetch the very same again. Secret as a whole. */
export type Order = IssuerPlaces & {
  readonly accessToken: string
  /** The name that this wallet gave at the token endpoint; null: none. */
  readonly clientId: string | null
  readonly datasets: readonly Dataset[]
  /** Digest of the offer, as {@link offerHashOf}: a repeated call finds the order by it. */
  readonly offerHash: string
  /** Whether the issuer deferred the one dataset: then it is asked for by its transaction. */
  readonly isDeferred: boolean
}

/** An order that is being worked on. `order` is replaced with each answer, so that what was issued can be sealed if a later step fails. */
export type OpenOrder = { order: Order }

/** Keys as PKCS #8 in base64. */
type SealedDataset = Omit<Dataset, 'keys'> & { readonly keys: readonly string[] }
type SealedOrder = Omit<Order, 'datasets'> & { readonly datasets: readonly SealedDataset[] }

/** The digest that an order is found by: of the offer as the caller gave it, since one by reference may be gone once it is redeemed. */
export function offerHashOf(credentialOffer: string): string {
  return sha256(credentialOffer.trim()).toString('base64url')
}

/**
 * Works out what is to be asked for: each dataset by itself [W-C4], and for each of its copies a new key [W-C2].
 *
 * @throws Fault `issuer_answer.invalid` if the token is good for nothing that was offered, or for too much.
 */
export function orderOf(
  metadata: IssuerMetadata,
  configurations: readonly Configuration[],
  { accessToken, credentialIdentifiers }: Pick<TokenResponse, 'accessToken' | 'credentialIdentifiers'>,
  { clientId, offerHash }: Pick<Order, 'clientId' | 'offerHash'>,
): Order {
  const { credentialIssuer, credentialEndpoint, nonceEndpoint, deferredEndpoint, notificationEndpoint } = metadata
  const datasets = configurations.flatMap((configuration) => {
    // [W-A4] the identifiers of the token response if there are any, else the configuration id
    const ids = credentialIdentifiers === null ? [null] : (credentialIdentifiers.get(configuration.id) ?? [])
    return ids.map((credentialIdentifier) => ({ configuration, credentialIdentifier }))
  })
  if (datasets.length === 0 || datasets.length > DATASETS_MAX) {
    const detail = 'The token is for none of the offered credentials, or for too many.'
    throw new Fault('issuer_answer.invalid', { detail })
  }
  return {
    ...{ credentialIssuer, credentialEndpoint, nonceEndpoint, deferredEndpoint, notificationEndpoint },
    ...{ accessToken, clientId, offerHash, isDeferred: false },
    datasets: datasets.map((one) => ({
      ...one,
      keys: keysFor(one.configuration, metadata.batchSizeMax),
      answer: null,
    })),
  }
}

/** Seals an order, keys and token included. @param row The id of the row that it goes into. */
export function sealOrder(sealing: Sealing, tenantId: TenantId, row: string, order: Order): Promise<Buffer> {
  const datasets = order.datasets.map((one) => ({
    ...one,
    keys: one.keys.map(({ pkcs8 }) => pkcs8.toString('base64')),
  }))
  return sealing.seal(place(tenantId, row), JSON.stringify({ ...order, datasets } satisfies SealedOrder))
}

/** Opens an order. */
export async function openOrder(sealing: Sealing, tenantId: TenantId, row: string, sealed: Buffer): Promise<Order> {
  const plain = await sealing.open(place(tenantId, row), sealed)
  // Sealed by us in this very form.
  const order = readOwnJson(plain) as SealedOrder
  return { ...order, datasets: order.datasets.map((one) => ({ ...one, keys: one.keys.map(keyPairFrom) })) }
}

function keysFor({ proofAlgs }: Configuration, batchSizeMax: number): KeyPair[] {
  const copies = proofAlgs === null ? 0 : Math.min(batchSizeMax, COPIES_MAX)
  return Array.from({ length: copies }, generateKeyPair)
}

function keyPairFrom(text: string): KeyPair {
  const pkcs8 = Buffer.from(text, 'base64')
  const privateKey = privateKeyFromPkcs8(pkcs8)
  const publicJwk = publicJwkOf(privateKey)
  if (publicJwk.kty !== 'EC') throw new Fault('key.unsupported')
  return { publicJwk, privateKey, pkcs8 }
}

function place(tenantId: TenantId, row: string) {
  return { tenantId, table: 'wallet_deferred', column: 'sealed_work', row }
}
