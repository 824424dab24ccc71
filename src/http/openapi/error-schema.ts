import { OPEN_ENUM } from '../../contract/open-enum.ts'
import { faults } from '../../fault.ts'
import { errorMetaSchema } from './meta-schema.ts'

const text = { type: 'string' }
const oauthCodes = [...new Set(Object.values(faults).map(({ oauth }) => oauth[1]))].toSorted()
const codes = [...new Set(Object.values(faults).map(({ api }) => api[1]))].toSorted()

/** Stable codes of the API. */
const errorCode = {
  type: 'string',
  [OPEN_ENUM]: codes,
  description: 'Stable code, for programs. Codes are added over time: take an unknown one by its HTTP status.',
}

const links = {
  type: 'object',
  properties: Object.fromEntries(['self', 'first', 'last', 'prev', 'next', 'related'].map((name) => [name, text])),
  additionalProperties: text,
}

const error = {
  type: 'object',
  required: ['id', 'status', 'code', 'title', 'detail'],
  properties: {
    id: { ...text, description: 'Id of the error; the log line of the request has the same.' },
    status: { ...text, pattern: '^[45][0-9]{2}$', description: 'The HTTP status.' },
    code: { $ref: '#/components/schemas/ErrorCode' },
    title: { ...text, description: 'What the code means.' },
    detail: { ...text, description: 'What happened, and what to do.' },
    source: {
      type: 'object',
      properties: {
        pointer: { ...text, description: 'RFC 6901 pointer into the body.' },
        parameter: { ...text, description: 'Name of the query or path parameter.' },
      },
    },
    meta: { $ref: '#/components/schemas/ErrorMeta' },
  },
}

const errors = {
  type: 'object',
  required: ['errors'],
  properties: {
    errors: { type: 'array', minItems: 1, items: { $ref: '#/components/schemas/Error' } },
    links: { $ref: '#/components/schemas/Links' },
  },
}

const oauthError = {
  type: 'object',
  required: ['error'],
  properties: {
    error: { type: 'string', description: `A code of the specification, e.g. ${oauthCodes.slice(0, 3).join(', ')}.` },
    error_description: { ...text, description: 'What happened, in printable ASCII.' },
    tries_left: { type: 'integer', description: 'How often another transaction code may be tried for the offer.' },
    offer_state: {
      enum: ['taken', 'locked', 'canceled', 'expired', 'ended'],
      description:
        'For the link of an offer that is not served any more: why. `ended`: its record was deleted. Absent for a link that never was one.',
    },
    request_end: {
      enum: ['answered', 'canceled', 'expired'],
      description: 'How a presentation request ended that is not open any more.',
    },
  },
}

const scimError = {
  type: 'object',
  required: ['schemas', 'status', 'detail'],
  properties: {
    schemas: { type: 'array', items: { const: 'urn:ietf:params:scim:api:messages:2.0:Error' } },
    status: { ...text, pattern: '^[45][0-9]{2}$', description: 'The HTTP status.' },
    scimType: { ...text, description: 'RFC 7644, 3.12.' },
    detail: text,
  },
}

/** Schemas of refusals and of the envelope, which every document has. */
export const commonSchemas: Readonly<Record<string, object>> = {
  ErrorReply: errors,
  Error: error,
  ErrorCode: errorCode,
  ErrorMeta: errorMetaSchema,
  Links: links,
  NoMeta: { type: 'object', properties: {}, additionalProperties: false, description: 'Has no members so far.' },
  OAuthError: oauthError,
  ScimError: scimError,
}

const id = '01890000-0000-7000-8000-000000000000'

/** Examples of refusals by their form. */
export const errorExamples = {
  api: (status: number, code: string, title: string) => ({
    errors: [{ id, status: String(status), code, title, detail: title }],
  }),
} as const
