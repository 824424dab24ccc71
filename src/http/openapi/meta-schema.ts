const text = { type: 'string' } as const
const whole = { type: 'integer' } as const
const texts = { type: 'array', items: text } as const
const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] })
const object = (properties: Readonly<Record<string, object>>, description?: string) => {
  return { type: 'object', properties, ...(description !== undefined && { description }) }
}
const list = (items: object, description: string) => ({ type: 'array', items, description })
const txCode = object(
  { inputMode: { enum: ['numeric', 'text'] }, length: orNull(whole), description: orNull(text) },
  'The transaction code that the issuer sends through another channel and the holder enters with the offer.',
)

/** Members of `errors[].meta`. Each appears with the codes that it explains; members may be added. */
export const errorMetaSchema = object({
  requiredScope: { ...text, description: '403: the scope that the token lacks.' },
  retryAfterSeconds: { ...whole, description: 'When to retry; the same as the header Retry-After.' },
  allow: { ...texts, description: '405: the methods of the path.' },
  upstream: object(
    { status: whole, error: text, errorDescription: text, requestEnd: { enum: ['answered', 'canceled', 'expired'] } },
    'The response of an issuer or verifier: HTTP status and OAuth error.',
  ),
  findings: list(
    object({ copy: whole, code: text, message: text }),
    'Why a received credential was refused; the codes are listed in docs/codes.md.',
  ),
  txCode,
  formats: { ...texts, description: 'The formats of an offer that this wallet does not support.' },
  credentialIssuer: { ...text, description: 'The issuer that the wallet does not trust.' },
  takenCredentials: {
    ...texts,
    description: 'The offer cannot be used: credentials in the wallet that were received for it.',
  },
  isBeingRedeemed: {
    type: 'boolean',
    description: 'true: the wallet has redeemed the offer and adds the credentials by itself.',
  },
  offer: object(
    {
      state: {
        enum: ['taken', 'locked', 'canceled', 'expired', 'ended', 'unknown'],
        description:
          'Why it cannot be used. `taken`: a wallet has redeemed it. `locked`: the transaction code was wrong too often. `canceled`: its issuer withdrew it. `ended`: one of these. `unknown`: the link never led to an offer. Only for issuers of this deployment; others do not say it.',
      },
      host: { ...text, description: 'The host of its issuer, or of its address.' },
      issuerName: { ...text, description: 'The name of an issuer of this deployment.' },
    },
    'The offer that cannot be used.',
  ),
  deliveryId: { ...text, format: 'uuid', description: 'The delivery that failed.' },
  rule: {
    ...text,
    description:
      'The rule that a value breaks, as a keyword of JSON Schema (`required`, `type`, `maxLength`), or that a certificate or signing request breaks. With OFFER_UNUSABLE, REQUEST_INVALID, CREDENTIAL_INVALID, UPSTREAM_ERROR and UNAVAILABLE: what was wrong, such as `offer.malformed` or `upstream.too_large`.',
  },
  limit: {
    anyOf: [{ type: 'number' }, text, texts],
    description: 'What the rule allows: a number, a type or format, or the allowed values.',
  },
  status: { ...text, description: 'The status of the resource, which does not allow the operation.' },
  kind: { enum: ['issuer', 'verifier'], description: 'The role that lacks a certificate.' },
  keyType: text,
  dnsName: text,
  certificateId: text,
  missing: { ...text, description: 'The attribute that the active certificate lacks.' },
})
