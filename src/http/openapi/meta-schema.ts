const text = { type: 'string' } as const
const whole = { type: 'integer' } as const
const time = { type: 'string', format: 'date-time' } as const
const texts = { type: 'array', items: text } as const
const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] })
const object = (properties: Readonly<Record<string, object>>, description?: string) => {
  return { type: 'object', properties, ...(description !== undefined && { description }) }
}
const list = (items: object, description: string) => ({ type: 'array', items, description })
const disclosed = { credentialId: { ...text, format: 'uuid' }, matchedAttributes: texts, alsoDisclosed: texts }
const txCode = object(
  { inputMode: { enum: ['numeric', 'text'] }, length: orNull(whole), description: orNull(text) },
  'The transaction code that the issuer sends through another channel and the holder enters with the offer.',
)

/** Members of `meta`. The summary of an operation or its resource names those that it returns; members may be added. */
export const answerMetaSchema = object({
  page: object(
    { size: whole, after: orNull(text), before: orNull(text) },
    'Lists: the cursors of the next and the previous page.',
  ),
  asOf: { ...time, description: 'Statistics: the time up to which events are counted.' },
  deferred: list(
    object({ credentialConfigurationId: text, vct: orNull(text), intervalSeconds: whole }),
    'Accepted offers: credentials that their issuer delivers later; the wallet adds them when they are issued.',
  ),
  delivery: object(
    { id: text, status: text },
    'Issuances with a recipient: the delivery, as in `GET /creds/deliveries/{id}`.',
  ),
  verifier: object({}, 'Presentations of a wallet: name and identifier of the verifier, and whether it is trusted.'),
  purpose: { ...text, description: 'Presentations of a wallet: the purpose that the verifier states.' },
  expiresAt: { ...time, description: 'Presentations of a wallet: when the request expires.' },
  alternatives: list(
    object({
      queryId: text,
      required: { type: 'boolean' },
      multiple: { type: 'boolean' },
      credentials: list(object(disclosed), ''),
    }),
    'Presentations of a wallet: the credentials that match each query, from which PATCH may select.',
  ),
  alsoDisclosed: list(
    object({}),
    'Presentations of a wallet: claims that a selected credential discloses in addition.',
  ),
  unmatched: list(
    object({ queryId: text, types: texts }),
    'Presentations of a wallet: queries that no credential of the wallet matches.',
  ),
  redirectUri: { ...text, description: 'Answered presentations: where the verifier sends the user next.' },
  error: object({ code: text, message: text }, 'Failed presentations: the reason.'),
  certificates: list(
    object({ subject: text, issuer: text, subjectKeyIdentifier: text, notBefore: time, notAfter: time }),
    'Trusted entities: their certificates.',
  ),
  credentials: list(
    object({ issuers: texts, trustedIssuers: texts }),
    'Presentation templates: the permitted issuers of each credential.',
  ),
  verifierConfig: object({}, 'Presentation templates: as submitted.'),
  retentionSeconds: { ...orNull(whole), description: 'Presentation templates: retention of results.' },
})

/** Members of `errors[].meta`. Each appears with the codes that it explains; members may be added. */
export const errorMetaSchema = object({
  requiredScope: { ...text, description: '403: the scope that the token lacks.' },
  retryAfterSeconds: { ...whole, description: 'When to retry; the same as the header Retry-After.' },
  allow: { ...texts, description: '405: the methods of the path.' },
  upstream: object(
    { status: whole, error: text, errorDescription: text },
    'The response of an issuer or verifier: HTTP status and OAuth error.',
  ),
  findings: list(
    object({ copy: whole, code: text, message: text }),
    'Why a received credential was refused; the codes are listed in docs/codes.md.',
  ),
  txCode,
  formats: { ...texts, description: 'The formats of an offer that this wallet does not support.' },
  credentialIssuer: { ...text, description: 'The issuer that the wallet does not trust.' },
  deliveryId: { ...text, format: 'uuid', description: 'The delivery that failed.' },
  rule: { ...text, description: 'The rule that a certificate or signing request breaks.' },
  status: { ...text, description: 'The status of the resource, which does not allow the operation.' },
  kind: { enum: ['issuer', 'verifier'], description: 'The role that lacks a certificate.' },
  keyType: text,
  dnsName: text,
  certificateId: text,
  missing: { ...text, description: 'The attribute that the active certificate lacks.' },
})
