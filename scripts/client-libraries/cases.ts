import type { Asked } from './programs/lines.ts'

/** What a library's cases know of each other. */
export type Known = {
  token: string
  template: string
  code: string
  issuance: string
  /** Makes a template without the library. @returns its path */
  readonly aTemplate: () => Promise<string>
}

/** A request, what the API promises for it, and what the library must have sent for the case to count. */
export type Case = {
  readonly name: string
  readonly ask: (
    known: Known,
  ) => Promise<Partial<Asked> & { readonly path: string }> | (Partial<Asked> & { path: string })
  readonly status: number
  /** A text of the body. */
  readonly has?: string
  /** Whether the head of the request is the one that the case is about. */
  readonly sent?: (head: string) => boolean
  readonly keep?: (body: string, known: Known) => void
  /** So many requests over at most one new connection. */
  readonly times?: number
}

const JSON_TYPE = { 'content-type': 'application/json' }
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' }
const UNKNOWN = '00000000-0000-4000-8000-000000000000'

const templates = '/creds/templates/credentials'
const issuances = '/creds/credentials/issuance'
const organisation = '/onboarding/organisation'

let codes = 0
const aCode = () => `libraries-${Date.now()}-${codes++}`
/** A body that makes a template. */
export const templateBody = (code = aCode()) =>
  Buffer.from(JSON.stringify({ name: 'Diploma', code, attributes: { degree: { type: 'string' } } }))
const change = Buffer.from('{"accentColor":"#1f4e79"}')
const grant = Buffer.from('grant_type=client_credentials')

const bearer = ({ token }: Known) => ({ authorization: `Bearer ${token}` })
const lacks = (name: string) => (head: string) => !new RegExp(`^${name}:`, 'im').test(head)
const has = (name: string) => (head: string) => new RegExp(`^${name}:`, 'im').test(head)
const hasNoLength = (head: string) => lacks('content-length')(head) && lacks('transfer-encoding')(head)
const isChunked = (head: string) => /^transfer-encoding: *chunked/im.test(head)

function memberOf(body: string, name: string): string {
  const { data } = JSON.parse(body) as { readonly data: Readonly<Record<string, string>> }
  return data[name] ?? ''
}

/** The main job: a token, a template, an issuance, its state, its cancellation. */
const mainJob = (authorization: string): readonly Case[] => [
  {
    name: 'token by client credentials (form)',
    ask: () => ({
      method: 'POST',
      path: '/auth/token',
      headers: { authorization, ...FORM_TYPE },
      sends: 'length',
      body: grant,
    }),
    status: 200,
    keep: (body, known) => {
      known.token = (JSON.parse(body) as { readonly access_token: string }).access_token
    },
  },
  {
    name: 'make a template (JSON)',
    ask: (known) => ({
      method: 'POST',
      path: templates,
      headers: { ...bearer(known), ...JSON_TYPE },
      sends: 'length',
      body: templateBody(),
    }),
    status: 201,
    keep: (body, known) => {
      known.template = memberOf(body, 'id')
      known.code = memberOf(body, 'code')
    },
  },
  {
    name: 'issue',
    ask: (known) => ({
      method: 'POST',
      path: issuances,
      headers: { ...bearer(known), ...JSON_TYPE },
      sends: 'length',
      body: Buffer.from(JSON.stringify({ credentialTemplateId: known.template, attributes: { degree: 'BSc' } })),
    }),
    status: 200,
    has: 'offerUri',
    keep: (body, known) => {
      known.issuance = memberOf(body, 'id')
    },
  },
  {
    name: 'get the issuance',
    ask: (known) => ({ path: `${issuances}/${known.issuance}`, headers: bearer(known) }),
    status: 200,
    has: '"data"',
  },
  {
    name: 'cancel the issuance',
    ask: (known) => ({ method: 'DELETE', path: `${issuances}/${known.issuance}`, headers: bearer(known) }),
    status: 200,
  },
]

/** A body of each way of sending, on one route. */
function bodies(
  method: string,
  pathOf: (known: Known) => string,
  body: (known: Known) => Buffer,
  status: number,
): Case[] {
  const one = (name: string, asked: Partial<Asked>, more: Omit<Case, 'name' | 'ask'>): Case => ({
    name: `${method}, ${name}`,
    ask: (known) => ({
      method,
      path: pathOf(known),
      ...asked,
      ...(asked.body === undefined && { body: body(known) }),
      headers: { ...bearer(known), ...asked.headers },
    }),
    ...more,
  })
  const empty = Buffer.alloc(0)
  const required = 'A JSON body is required'
  return [
    one('JSON', { headers: JSON_TYPE, sends: 'length' }, { status }),
    one('JSON, chunked', { headers: JSON_TYPE, sends: 'chunked' }, { status, sent: isChunked }),
    one(
      'JSON, Expect: 100-continue',
      { headers: JSON_TYPE, sends: 'length', expects: true },
      { status, sent: has('expect') },
    ),
    one('JSON without Content-Type', { sends: 'length' }, { status: 415, sent: lacks('content-type') }),
    one('form', { headers: FORM_TYPE, sends: 'length', body: grant }, { status: 415, has: 'UNSUPPORTED_MEDIA_TYPE' }),
    one(
      'empty body with Content-Type',
      { headers: JSON_TYPE, sends: 'length', body: empty },
      { status: 400, has: required },
    ),
    one('empty body, chunked', { headers: JSON_TYPE, sends: 'chunked', body: empty }, { status: 400, has: required }),
    one('no body, no Content-Type', {}, { status: 400, has: required, sent: lacks('content-type') }),
  ]
}

/** A route without a body, with what libraries add to it. */
function bodiless(method: string, pathOf: (known: Known) => Promise<string>, status: number): Case[] {
  const one = (name: string, asked: Partial<Asked>, more: Partial<Case> = {}): Case => ({
    name: `${method}, ${name}`,
    ask: async (known) => ({
      method,
      path: await pathOf(known),
      ...asked,
      headers: { ...bearer(known), ...asked.headers },
    }),
    status,
    ...more,
  })
  const typed = (head: string) => has('content-type')(head) && hasNoLength(head)
  return [
    one('plain', {}),
    one('Content-Type and no length', { headers: JSON_TYPE }, { sent: typed }),
    one('form type and no length', { headers: FORM_TYPE }, { sent: typed }),
    one('empty body with Content-Type', { headers: JSON_TYPE, sends: 'length', body: Buffer.alloc(0) }),
    one('empty body, chunked', { headers: JSON_TYPE, sends: 'chunked', body: Buffer.alloc(0) }),
    one('JSON {}', { headers: JSON_TYPE, sends: 'length', body: Buffer.from('{}') }),
    one('JSON {}, chunked', { headers: JSON_TYPE, sends: 'chunked', body: Buffer.from('{}') }, { sent: isChunked }),
    // The body of a GET has no meaning and is not read (RFC 9110 9.3.1).
    one('form', { headers: FORM_TYPE, sends: 'length', body: grant }, { status: method === 'GET' ? status : 415 }),
  ]
}

const list: Case['ask'] = (known) => ({ path: issuances, headers: bearer(known) })
const large = Buffer.alloc(3_000_000, ' ')

const post = (name: string, path: string, asked: Partial<Asked>, status: number, more: Partial<Case> = {}): Case => ({
  name: `POST, ${name}`,
  ask: (known) => ({
    method: 'POST',
    path,
    sends: 'length',
    ...asked,
    headers: { ...bearer(known), ...asked.headers },
  }),
  status,
  ...more,
})

/** Every case, in its order: later ones use what earlier ones kept. */
export const casesFor = (authorization: string): readonly Case[] => [
  ...mainJob(authorization),
  ...bodiless('GET', async () => issuances, 200),
  { name: 'GET, Accept-Encoding: gzip', ask: async (known) => gzip(await list(known)), status: 200, has: '"data"' },
  {
    name: 'GET, unknown',
    ask: (known) => ({ path: `${issuances}/${UNKNOWN}`, headers: bearer(known) }),
    status: 404,
    has: 'NOT_FOUND',
  },
  { name: 'GET, no token', ask: () => ({ path: issuances }), status: 401, has: 'UNAUTHORIZED' },
  { name: 'HEAD', ask: async (known) => ({ ...(await list(known)), method: 'HEAD' }), status: 200 },
  {
    name: 'HEAD, unknown',
    ask: (known) => ({ method: 'HEAD', path: `${issuances}/${UNKNOWN}`, headers: bearer(known) }),
    status: 404,
  },
  { name: 'OPTIONS', ask: () => ({ method: 'OPTIONS', path: templates }), status: 204 },
  {
    name: 'OPTIONS, JSON {}',
    ask: () => ({ method: 'OPTIONS', path: templates, headers: JSON_TYPE, sends: 'length', body: Buffer.from('{}') }),
    status: 204,
  },
  { name: 'OPTIONS, not supported', ask: () => ({ method: 'OPTIONS', path: '/readyz' }), status: 405 },
  ...bodies(
    'POST',
    () => templates,
    () => templateBody(),
    201,
  ),
  ...bodies(
    'PUT',
    ({ template }) => `${templates}/${template}`,
    ({ code }) => templateBody(code),
    200,
  ),
  ...bodies(
    'PATCH',
    () => organisation,
    () => change,
    200,
  ),
  ...bodiless('DELETE', ({ aTemplate }) => aTemplate(), 200),
  post(
    'form on the token endpoint, chunked',
    '/auth/token',
    { headers: { authorization, ...FORM_TYPE }, sends: 'chunked', body: grant },
    200,
    { sent: isChunked },
  ),
  post(
    'form on the token endpoint, Expect',
    '/auth/token',
    { headers: { authorization, ...FORM_TYPE }, body: grant, expects: true },
    200,
    { sent: has('expect') },
  ),
  post(
    'JSON on the token endpoint',
    '/auth/token',
    { headers: { authorization, ...JSON_TYPE }, body: Buffer.from('{}') },
    415,
    { has: 'invalid_request' },
  ),
  post(
    'empty on the token endpoint',
    '/auth/token',
    { headers: { authorization, ...FORM_TYPE }, body: Buffer.alloc(0) },
    400,
    { has: 'invalid_request' },
  ),
  post('3 MB', templates, { headers: JSON_TYPE, body: large }, 413),
  post('3 MB, chunked', templates, { headers: JSON_TYPE, sends: 'chunked', body: large }, 413, { sent: isChunked }),
  post('3 MB, Expect', templates, { headers: JSON_TYPE, body: large, expects: true }, 413, { sent: has('expect') }),
  post('3 MB, no token', templates, { headers: { ...JSON_TYPE, authorization: 'Bearer x' }, body: large }, 401),
  post(
    '3 MB, no token, chunked',
    templates,
    { headers: { ...JSON_TYPE, authorization: 'Bearer x' }, sends: 'chunked', body: large },
    401,
    { sent: isChunked },
  ),
  post('3 MB, no route', '/creds/nothing', { headers: JSON_TYPE, body: large }, 404),
  post('3 MB, no route, chunked', '/creds/nothing', { headers: JSON_TYPE, sends: 'chunked', body: large }, 404, {
    sent: isChunked,
  }),
  { name: 'five requests, one connection', ask: list, status: 200, times: 5 },
  { name: 'redirect, followed', ask: () => ({ path: '/me' }), status: 200, has: '<html' },
]

function gzip(asked: Partial<Asked> & { readonly path: string }) {
  return { ...asked, headers: { ...asked.headers, 'accept-encoding': 'gzip' } }
}
