import fastJson from 'fast-json-stringify'
import type { TSchema } from 'typebox'
import type { Answer } from '../routes/route.ts'
import { plainSchema } from '../validation/check.ts'

/** Turns an answer into the text that leaves. */
export type Write = (answer: Pick<Answer, 'data' | 'links' | 'meta'>) => string

/**
 * Makes the serializer of a reply: members that its schema does not promise do not leave, a promised one that is missing is an error of
 * ours. Compiled at the first answer. `bare` leaves the envelope out.
 */
export function writer(reply: TSchema, bare: boolean): Write {
  let data: ((value: unknown) => string) | undefined
  return (answer) => {
    data ??= fastJson(plainSchema(reply))
    const text = data(answer.data)
    if (bare) return text
    const links = answer.links === undefined ? '' : `,"links":${JSON.stringify(answer.links)}`
    const meta = answer.meta === undefined ? '' : `,"meta":${JSON.stringify(answer.meta)}`
    return `{"data":${text}${links}${meta}}`
  }
}
