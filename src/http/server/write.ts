import fastJson from 'fast-json-stringify'
import type { TSchema } from 'typebox'
import type { Answer } from '../routes/route.ts'
import { plainSchema } from '../validation/check.ts'

/** Serializes an answer. */
export type Write = (answer: Pick<Answer, 'data' | 'links' | 'meta'>) => string

const links = { type: 'object', additionalProperties: { type: 'string' } }
const meta = { type: 'object', additionalProperties: true }

/**
 * Returns the serializer of a reply: members that its schema does not promise are left out, and a promised member that
 * is missing throws. The schema is compiled at the first answer.
 */
export function writer(reply: TSchema, noEnvelope: boolean): Write {
  let write: ((value: unknown) => string) | undefined
  return (answer) => {
    write ??= fastJson(noEnvelope ? plainSchema(reply) : envelopeOf(plainSchema(reply)))
    return write(noEnvelope ? answer.data : answer)
  }
}

function envelopeOf(data: object): object {
  return { type: 'object', required: ['data'], properties: { data, links, meta } }
}
