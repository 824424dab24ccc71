import type { TenantId } from '../../caller.ts'
import { sha256 } from '../../crypto/digest.ts'
import { generateKeyPair, type KeyPair, privateKeyFromPkcs8, publicJwkOf } from '../../crypto/jwk.ts'
import { Fault } from '../../fault.ts'
import { sealedJson } from '../../keys/sealed-column.ts'
import type { Sealing } from '../../keys/sealing.ts'
import type { Configuration } from '../../protocols/openid4vci/credential-configuration.ts'
import type { CredentialResponse } from '../../protocols/openid4vci/credential-response.ts'
import type { IssuerEncryption } from '../../protocols/openid4vci/issuer-encryption.ts'
import type { IssuerMetadata } from '../../protocols/openid4vci/issuer-metadata.ts'
import type { TokenResponse } from '../../protocols/openid4vci/token-response.ts'
import type { GrantClient } from '../issuer-access/grant-client.ts'
import type { IssuerAccess } from '../issuer-access/send-protected.ts'

/** The most copies of a credential that a wallet requests. */
const COPIES_MAX = 10
const DATASETS_MAX = 16
const DISPLAYS_MAX = 8

/** The endpoints of the issuer. */
type IssuerPlaces = Pick<
  IssuerMetadata,
  'credentialIssuer' | 'credentialEndpoint' | 'nonceEndpoint' | 'deferredEndpoint' | 'notificationEndpoint'
>

/** The members of issuer metadata that an order needs. */
export type OrderedIssuer = IssuerPlaces &
  Pick<IssuerMetadata, 'batchSizeMax' | 'encryption'> & {
    /** What the issuer states about itself. Absent in what was stored before it was kept. */
    readonly display?: IssuerMetadata['display']
  }

/** One credential to request, with a key for each copy; without keys it is bound to none. */
export type Dataset = {
  readonly configuration: Configuration
  readonly credentialIdentifier: string | null
  readonly keys: readonly KeyPair[]
  /** How many keys new copies get; absent: as many as there are keys. */
  readonly copies?: number
  /**
   * The issuer's response; null: none yet. An issued credential is not requested again: the issuer may send it only
   * once.
   */
  readonly answer: CredentialResponse | null
}

/**
 * Everything needed to fetch the credentials of a redeemed offer, and to repeat that with the same keys. Secret as a
 * whole.
 */
export type Order = IssuerPlaces & {
  readonly accessToken: string
  /** Renews the access token; null: the server gave none. */
  readonly refreshToken: string | null
  /** The client that got the tokens. */
  readonly client: GrantClient
  /** What the issuer states about itself. */
  readonly display?: IssuerMetadata['display']
  /** How requests and responses are encrypted; null: they are not. */
  readonly encryption: IssuerEncryption['usable']
  /** Whether the issuer takes encrypted requests only. Absent as `isAlone`; then a refused encryption is final. */
  readonly encryptionRequired?: boolean
  readonly datasets: readonly Dataset[]
  /** As {@link offerHashOf}: a repeated call finds the order by it. */
  readonly offerHash: string
  /** Whether the issuer deferred the one dataset: then it is polled by its transaction. */
  readonly isDeferred: boolean
  /**
   * The tokens are for one dataset only, so that no other order uses them up. Absent in what was stored before it was
   * kept.
   */
  readonly isAlone?: boolean
  /** How long the access token is valid from its response on, in seconds; null: not stated. Absent as above. */
  readonly accessSeconds?: number | null
}

/**
 * An order in progress. `order` is replaced with each response, so that issued credentials can be sealed if a later
 * step fails. `save` seals it at once: a refresh token may be used once.
 */
export type OpenOrder = { order: Order; readonly save: (order: Order) => Promise<void> }

/** Keys as PKCS #8 in base64. */
type SealedDataset = Omit<Dataset, 'keys'> & { readonly keys: readonly string[] }
type SealedOrder = Omit<Order, 'datasets'> & { readonly datasets: readonly SealedDataset[] }
const sealedOrders = {
  wallet_deferred: sealedJson<SealedOrder>('wallet_deferred', 'sealed_work'),
  wallet_refill: sealedJson<SealedOrder>('wallet_refill', 'sealed_work'),
} as const
/** A table with orders. */
type OrderTable = keyof typeof sealedOrders

/** Returns the digest of an offer as the caller sent it; an offer by reference may be gone once it is redeemed. */
export function offerHashOf(credentialOffer: string): string {
  return sha256(credentialOffer.trim()).toString('base64url')
}

/**
 * Makes the order for a token: one request for each dataset [W-C4], and a new key for each copy [W-C2].
 *
 * @throws Fault `issuer_answer.invalid` if the token covers none of the offered credentials, or too many datasets.
 */
export function orderOf(
  metadata: OrderedIssuer,
  configurations: readonly Configuration[],
  { accessToken, refreshToken, expiresInSeconds, credentialIdentifiers }: Omit<TokenResponse, 'tokenType'>,
  { client, offerHash }: Pick<Order, 'client' | 'offerHash'>,
): Order {
  const { batchSizeMax, encryption, ...issuer } = orderedIssuerOf(metadata)
  const datasets = configurations.flatMap((configuration) => {
    // [W-A4] the identifiers of the token response if there are any, else the configuration id
    const ids = credentialIdentifiers === null ? [null] : (credentialIdentifiers.get(configuration.id) ?? [])
    return ids.map((credentialIdentifier) => ({ configuration, credentialIdentifier }))
  })
  if (datasets.length === 0 || datasets.length > DATASETS_MAX) {
    const detail = 'The token covers none of the offered credentials, or too many.'
    throw new Fault('issuer_answer.invalid', { detail })
  }
  return {
    ...issuer,
    accessToken,
    refreshToken,
    client,
    offerHash,
    isDeferred: false,
    isAlone: datasets.length === 1,
    accessSeconds: expiresInSeconds,
    encryption: encryption?.usable ?? null,
    encryptionRequired: encryption?.isRequired ?? false,
    datasets: datasets.map((one) => ({
      ...one,
      keys: keysFor(one.configuration, batchSizeMax),
      answer: null,
    })),
  }
}

/** Returns the members of issuer metadata that an order needs, without its configurations. */
export function orderedIssuerOf(metadata: OrderedIssuer): OrderedIssuer {
  const { credentialIssuer, credentialEndpoint, nonceEndpoint, deferredEndpoint, notificationEndpoint } = metadata
  const { batchSizeMax, encryption, display = [] } = metadata
  const places = { credentialIssuer, credentialEndpoint, nonceEndpoint, deferredEndpoint, notificationEndpoint }
  return { ...places, batchSizeMax, encryption, display: display.slice(0, DISPLAYS_MAX) }
}

/** Returns the access token of an order with the key that it is bound to. */
export function accessOf({ accessToken, client }: Pick<Order, 'accessToken' | 'client'>): IssuerAccess {
  return { accessToken, boundKey: client.usesDpop ? client.key : null }
}

/** Returns an order without its keys and answers: what is needed to request as many copies again. */
export function withoutKeys(order: Order): Order {
  const datasets = order.datasets.map((one) => ({
    ...one,
    copies: one.copies ?? one.keys.length,
    keys: [],
    answer: null,
  }))
  return { ...order, isDeferred: false, datasets }
}

/** Seals an order, keys and token included. @param row The id of its row. */
export function sealOrder(
  sealing: Sealing,
  tenantId: TenantId,
  row: string,
  order: Order,
  table: OrderTable = 'wallet_deferred',
): Promise<Buffer> {
  const datasets = order.datasets.map((one) => ({
    ...one,
    keys: one.keys.map(({ pkcs8 }) => pkcs8.toString('base64')),
  }))
  return sealedOrders[table].seal(sealing, tenantId, row, { ...order, datasets })
}

/** Opens an order. */
export async function openOrder(
  sealing: Sealing,
  tenantId: TenantId,
  row: string,
  sealed: Buffer,
  table: OrderTable = 'wallet_deferred',
): Promise<Order> {
  const order = await sealedOrders[table].open(sealing, tenantId, row, sealed)
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
