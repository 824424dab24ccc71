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
  'The transaction code that the issuer sends by another way and that has to come with the offer.',
)

/** Members of `meta` beside `data`. Which of them an operation gives, its summary or its resource says; further ones may come. */
export const answerMetaSchema = object({
  page: object(
    { size: whole, after: orNull(text), before: orNull(text) },
    'Lists: the cursors of the next and the previous page.',
  ),
  asOf: { ...time, description: 'Statistics: until when events are counted.' },
  deferred: list(
    object({ credentialConfigurationId: text, vct: orNull(text), intervalSeconds: whole }),
    'Accepted offers: credentials that their issuer gives later; they come into the wallet by themselves.',
  ),
  delivery: object(
    { id: text, status: text },
    'Issuances with a recipient: the delivery, as `GET /creds/deliveries/{id}` shows it.',
  ),
  verifier: object({}, 'Presentations of a wallet: who asks, with name, identifier and whether it is trusted.'),
  purpose: { ...text, description: 'Presentations of a wallet: what the verifier says it is for.' },
  expiresAt: { ...time, description: 'Presentations of a wallet: until when they can be answered.' },
  alternatives: list(
    object({
      queryId: text,
      required: { type: 'boolean' },
      multiple: { type: 'boolean' },
      credentials: list(object(disclosed), ''),
    }),
    'Presentations of a wallet: which credentials fit each query; what PATCH may choose from.',
  ),
  alsoDisclosed: list(object({}), 'Presentations of a wallet: what a selected credential shows besides.'),
  unmatched: list(
    object({ queryId: text, types: texts }),
    'Presentations of a wallet: queries that nothing in the wallet fits.',
  ),
  redirectUri: { ...text, description: 'Answered presentations: where the verifier wants the person to go on.' },
  error: object({ code: text, message: text }, 'Failed presentations: why.'),
  certificates: list(
    object({ subject: text, issuer: text, subjectKeyIdentifier: text, notBefore: time, notAfter: time }),
    'Trusted entities: their certificates.',
  ),
  credentials: list(
    object({ issuers: texts, trustedIssuers: texts }),
    'Presentation templates: whom each credential may come from.',
  ),
  verifierConfig: object({}, 'Presentation templates: as given.'),
  retentionSeconds: { ...orNull(whole), description: 'Presentation templates: how long results are kept.' },
})

/** Members of `errors[].meta`. Each is there where it helps with the code; further ones may come. */
export const errorMetaSchema = object({
  requiredScope: { ...text, description: '403: the scope that the token lacks.' },
  retryAfterSeconds: { ...whole, description: 'After which time it may go well; the header Retry-After says it too.' },
  allow: { ...texts, description: '405: the methods of the path.' },
  upstream: object(
    { status: whole, error: text, errorDescription: text },
    'What an issuer or verifier answered: HTTP status and OAuth error.',
  ),
  findings: list(
    object({ copy: whole, code: text, message: text }),
    'Why a received credential was refused; the codes are listed in docs/codes.md.',
  ),
  txCode,
  formats: { ...texts, description: 'The formats of an offer that this wallet does not take.' },
  credentialIssuer: { ...text, description: 'The issuer that the wallet does not trust.' },
  deliveryId: { ...text, format: 'uuid', description: 'The delivery that failed.' },
  rule: { ...text, description: 'The rule that a certificate or signing request breaks.' },
  status: { ...text, description: 'The status of the resource, which does not allow the operation.' },
  kind: { enum: ['issuer', 'verifier'], description: 'What a certificate is missing for.' },
  keyType: text,
  dnsName: text,
  certificateId: text,
  missing: { ...text, description: 'What the active certificate lacks.' },
})
