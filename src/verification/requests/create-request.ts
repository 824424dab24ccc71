import type { Caller } from '../../caller.ts'
import type { CreateRequestBody } from '../../contract/verification/presentation-requests.ts'
import { sha256 } from '../../crypto/digest.ts'
import { randomToken } from '../../crypto/random.ts'
import { defaultOf } from '../../directory/tenants/default-of.ts'
import { findPolicyOf } from '../../directory/tenants/tenant-policy.ts'
import type { AnonymousActor } from '../../events/audit/entry.ts'
import { Fault, type Violation } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { knownId } from '../../uuid.ts'
import { readBrowserOptions } from '../templates/browser-origins.ts'
import { configViolations } from '../templates/config-violations.ts'
import type { PresentationTemplate } from '../templates/presentation-template.ts'
import { checkRedirectUri, redirectPolicyOf } from '../templates/redirect-uris.ts'
import { getPresentationTemplate } from '../templates/template-store.ts'
import { encodeTransactions } from '../templates/template-transactions.ts'
import { chooseSigner, defaultSigners, type RequestSigners, signingPreferenceOf } from './choose-signer.ts'
import type { DigitalCredentialsOptions } from './presentation-request.ts'
import { insertPresentationRequest, type RequestRow } from './request-store.ts'
import { sealTransactions } from './sealed-request.ts'

const RETENTION_SECONDS = 30 * 86_400
/** [VP-R1] at least 128 bits; 32 characters. */
const NONCE_BYTES = 24

type Needs = Pick<Platform, 'store' | 'keys' | 'clock' | 'urls' | 'config' | 'memory' | 'sealing'>

/**
 * A visitor of a verification page. The wallet leads back to `returnUri`, our own page, which checks the session of the
 * browser itself.
 */
type Visitor = Pick<Caller, 'tenantId' | 'tenantSlug'> & {
  readonly by: AnonymousActor
  readonly page: { readonly id: string; readonly returnUri: string }
}

/**
 * Creates a presentation request with a copy of its template. One statement, unless the template has an unusual signing
 * preference.
 *
 * @throws Fault `resource.unknown`, `request.invalid`, `certificate.none_active`, or `state.conflict` if
 *   the template changed concurrently
 */
export async function createPresentationRequest(
  platform: Needs,
  caller: Caller | Visitor,
  body: CreateRequestBody,
  id = newId(),
): Promise<RequestRow> {
  const { redirectUri, presentationTemplateId, transactionData, digitalCredentials } = body
  const templateId = knownId(presentationTemplateId)
  const browsers = digitalCredentials === undefined ? null : readBrowserOptions(digitalCredentials, platform)
  if (redirectUri !== undefined) {
    const violations = checkRedirectUri(redirectUri, '/redirectUri', await redirectPolicyOf(platform, caller.tenantId))
    if (violations.length > 0) throw new Fault('request.invalid', { violations })
  }
  const input = { ...body, templateId, id, browsers }
  if (transactionData === undefined) {
    const created = await insert(platform, caller, input, await defaultSigners(platform, caller))
    if (created !== null) return created
  }
  const template = await platform.store.single(caller.tenantId, (tx) => getPresentationTemplate(tx, templateId))
  const config = template.verifierConfig ?? {}
  const { presenting, verifying } = await findPolicyOf(platform, caller.tenantId)
  const needsSession = verifying.requiresBrowserSession && !('page' in caller)
  const violations = [
    ...configViolations(presenting, config, '/presentationTemplateId'),
    ...(needsSession ? sessionViolations(redirectUri ?? config.redirectUri, body.browserSession) : []),
  ]
  if (violations.length > 0) throw new Fault('request.invalid', { violations })
  const signers = { [signingPreferenceOf(config)]: await chooseSigner(platform, caller, config) }
  const row = await insert(platform, caller, { ...input, template }, signers)
  if (row === null) throw new Fault('state.conflict', { detail: 'The template was changed concurrently.' })
  return row
}

/**
 * [HAIP-22] A redirect that arrives in another session than the one in which the request was created must not give a
 * result.
 */
function sessionViolations(redirectUri: string | undefined, browserSession: string | undefined): readonly Violation[] {
  if (redirectUri === undefined || browserSession !== undefined) return []
  const detail =
    'The organisation follows HAIP 1.0, where a request with a redirect URI is bound to the session of the browser.'
  return [{ detail, pointer: '/browserSession' }]
}

/** `template`: the version that the transaction data refer to. */
type RequestInput = CreateRequestBody & {
  readonly templateId: string
  readonly id: string
  readonly browsers: DigitalCredentialsOptions | null
  readonly template?: PresentationTemplate
}

async function insert(
  needs: Needs,
  caller: Caller | Visitor,
  input: RequestInput,
  signers: RequestSigners,
): Promise<RequestRow | null> {
  const { store, clock, config, sealing } = needs
  const { tenantId } = caller
  const { id, templateId, reference = null, expiresInSeconds = null } = input
  const redirectUri = 'page' in caller ? caller.page.returnUri : (input.redirectUri ?? null)
  const { template, transactionData = [], browsers: digitalCredentials, browserSession } = input
  const encoded = template === undefined ? [] : encodeTransactions(transactionData, template)
  const request = {
    id,
    templateId,
    reference,
    redirectUri,
    expiresInSeconds,
    signers,
    digitalCredentials,
    browserSessionHash: browserSession === undefined ? null : sha256(browserSession),
    sealedTransactions: encoded.length === 0 ? null : await sealTransactions(sealing, caller.tenantId, id, encoded),
    templateUpdatedAt: encoded.length === 0 ? null : (template?.updatedAt ?? null),
    nonce: randomToken(NONCE_BYTES),
    state: randomToken(NONCE_BYTES),
    defaults: {
      expiresInSeconds: await defaultOf(needs, tenantId, 'requestTtlSeconds', config.presentationTtlSeconds),
      retentionSeconds: await defaultOf(needs, tenantId, 'resultRetentionSeconds', RETENTION_SECONDS),
    },
  }
  const entry = {
    action: 'openid4vc.verification.requested',
    subject: { kind: 'presentation_request', id },
    by: 'page' in caller ? caller.by : caller,
    detail: {
      presentationTemplateId: templateId,
      ...('page' in caller && { verificationPageId: caller.page.id }),
    },
  } as const
  return store.single(caller.tenantId, (tx) => insertPresentationRequest(tx, request, entry, clock.now()))
}
