import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { credentialDetails, readCredentialDetails } from '../../protocols/openid4vci/authorization-details.ts'
import { credentialIdOf } from '../issuances/credential-id.ts'
import { makeAccessToken, makeTokenSecret, WALLET_TOKEN_TTL_SECONDS } from '../offers/access-token.ts'
import { readOfferToken } from '../offers/offer-codes.ts'
import { txCodeMac } from '../offers/tx-code.ts'
import { templateVersion } from '../templates/template-cache.ts'
import { checkTxCodeGuesses, countTxCodeGuess } from './rate-limits.ts'
import { findOffer, type Redeemed, type Redemption, type RedemptionEntries, redeemOffered } from './redemption-store.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'rateLimiter' | 'memory'>
type Form = Readonly<Record<string, string>>
type Origin = { readonly ip: string; readonly requestId: string }

const TX_CODE_CHARS_MAX = 64

/**
 * Redeems a pre-authorized code at the token endpoint: one access token for one offer.
 *
 * @param jkt Thumbprint of the DPoP key that the wallet proved; null: the token is not bound to a key.
 * @throws Fault `request.invalid`, `grant.invalid`, `authorization_details.invalid`,
 * `request.rate_limited`
 * @see [OpenID4VCI 1.0, 6](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-token-endpoint)
 */
export async function redeemPreAuthorizedCode(
  needs: Needs,
  tenant: Pick<Tenant, 'id'>,
  form: Form,
  from: Origin,
  jkt: string | null,
): Promise<object> {
  const { sealing, clock } = needs
  const { code, txCode, configurationId } = readForm(form)
  const id = await readOfferToken(sealing, tenant.id, 'offer-code', code)
  if (id === null) throw new Fault('grant.invalid')
  if (txCode !== null) checkTxCodeGuesses(needs, tenant)
  const now = clock.now()
  const secret = makeTokenSecret()
  const redemption = {
    id,
    txCodeMac: txCode === null ? null : await txCodeMac(sealing, tenant.id, id, txCode),
    tokenHash: secret.hash,
    tokenExpiresAt: new Date(now.getTime() + WALLET_TOKEN_TTL_SECONDS * 1000),
    configurationId,
    jkt,
  }
  const redeemed = await redeemWithRetry(needs, tenant, redemption, entriesOf(id, from), now)
  if (redeemed.outcome !== 'redeemed') throw await refusalOf(needs, tenant, id, redeemed, configurationId)
  return {
    access_token: await makeAccessToken(sealing, tenant.id, secret, redeemed.granted),
    token_type: jkt === null ? 'Bearer' : 'DPoP',
    expires_in: WALLET_TOKEN_TTL_SECONDS,
    ...(configurationId !== null && {
      authorization_details: [credentialDetails(configurationId, credentialIdOf(id))],
    }),
  }
}

/**
 * Redeems once: when the answer of the database is lost, a second attempt with the same secret finds the token, or
 * counts no further try.
 */
async function redeemWithRetry(
  { store }: Needs,
  tenant: Pick<Tenant, 'id'>,
  redemption: Redemption,
  entries: RedemptionEntries,
  now: Date,
): Promise<Redeemed> {
  const attempt = () => store.single(tenant.id, (tx) => redeemOffered(tx, redemption, entries, now))
  return attempt().catch(attempt)
}

function entriesOf(id: string, from: Origin): RedemptionEntries {
  const subject = { kind: 'issuance', id } as const
  const by = { kind: 'wallet', ...from } as const
  return {
    wrong: { action: 'issuance.tx_code_refused', subject, by, result: 'refused' },
    locked: { action: 'openid4vc.issuance.failed', subject, by, detail: { cause: 'txCode' } },
  }
}

function readForm(form: Form) {
  const { 'pre-authorized_code': code, tx_code: txCode } = form
  // RFC 6749 3.2: parameters sent without a value are treated as if they were omitted
  if (code === undefined || code === '') throw missing('pre-authorized_code')
  if (txCode !== undefined && txCode.length > TX_CODE_CHARS_MAX) throw new Fault('grant.invalid')
  return {
    code,
    txCode: txCode === undefined || txCode === '' ? null : txCode,
    configurationId: configurationIn(form.authorization_details),
  }
}

/** [VCI-T3] Returns the configuration that the wallet names; an offer has one. null: it names none. */
function configurationIn(details: string | undefined): string | null {
  const named = readCredentialDetails(details)
  if (named === null) return null
  const [id, ...others] = named
  if (id !== undefined && others.length === 0) return id
  throw new Fault('authorization_details.invalid', {
    detail: 'authorization_details must name one credential of the offer.',
  })
}

async function refusalOf(
  needs: Needs,
  tenant: Pick<Tenant, 'id'>,
  id: string,
  refused: Exclude<Redeemed, { outcome: 'redeemed' }>,
  configurationId: string | null,
): Promise<Fault> {
  const { outcome } = refused
  if (outcome === 'tx_code_wrong') {
    await countTxCodeGuess(needs, tenant)
    const { triesLeft } = refused
    const detail = `The transaction code is wrong. Tries left: ${triesLeft}.`
    return new Fault('grant.invalid', { detail, meta: { triesLeft } })
  }
  // [VCI-T9]
  if (outcome === 'tx_code_missing') return missing('tx_code')
  if (outcome === 'tx_code_unexpected') {
    return new Fault('request.invalid', { detail: 'The offer has no transaction code; leave tx_code out.' })
  }
  if (outcome === 'unusable' && configurationId !== null) {
    const offer = await needs.store.single(tenant.id, (tx) => findOffer(tx, id, needs.clock.now()))
    const template = offer && (await templateVersion(needs, tenant.id, offer.templateId, offer.templateVersion))
    if (template !== null && template.code !== configurationId) return new Fault('authorization_details.invalid')
  }
  return new Fault('grant.invalid')
}

function missing(parameter: string): Fault {
  return new Fault('request.invalid', { detail: `${parameter} is missing.` })
}
