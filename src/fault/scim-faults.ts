import type { FaultRow } from './row.ts'

/** Refusals of SCIM requests (RFC 7644, 3.12). */
export const scimFaults = {
  'scim.invalid_cursor': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_request'],
    scim: 'invalidCursor',
    title: 'The cursor of the page is unknown.',
  },
  'scim.invalid_filter': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_request'],
    scim: 'invalidFilter',
    title: 'The filter cannot be read, or is not supported.',
  },
  'scim.invalid_path': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_request'],
    scim: 'invalidPath',
    title: 'The path of an attribute cannot be read, or names none.',
  },
  'scim.invalid_syntax': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_request'],
    scim: 'invalidSyntax',
    title: 'The body is no SCIM message.',
  },
  'scim.invalid_value': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_request'],
    scim: 'invalidValue',
    title: 'The value of an attribute is missing or not allowed.',
  },
  'scim.mutability': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_request'],
    scim: 'mutability',
    title: 'The attribute cannot be changed.',
  },
  'scim.no_target': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_request'],
    scim: 'noTarget',
    title: 'The path of the operation matches nothing.',
  },
  'scim.not_implemented': {
    api: [501, 'NOT_IMPLEMENTED'],
    oauth: [501, 'invalid_request'],
    title: 'The service does not support this operation.',
  },
  'scim.too_many': {
    api: [400, 'VALIDATION_ERROR'],
    oauth: [400, 'invalid_request'],
    scim: 'tooMany',
    title: 'The request asks for more than the server returns or does at once.',
  },
} as const satisfies Record<string, FaultRow>
