import { randomUUID } from 'node:crypto'
import type { Replacements } from '../../assembly.ts'
import { Fault } from '../../fault.ts'
import { toErrors } from '../../http/routes/faults.ts'
import type { InternalRequest } from '../../platform.ts'

/** Stands between the pages of a deployment and its API, and makes calls late or fail. Everything else is as it is. */
export type UnreliableApi = {
  readonly replacements: Replacements
  /** Holds calls back until {@link UnreliableApi.heal}; then they are carried out. @param calls Of path and query */
  readonly delay: (calls: RegExp) => void
  /**
   * Answers calls as the API does without its database: 503.
   *
   * @param userId Only those of this person; null: of everybody
   */
  readonly refuse: (calls: RegExp, userId?: string | null) => void
  readonly heal: () => void
}

/** Returns what makes the API of a deployment unreliable; reliable at first. */
export function unreliableApi(): UnreliableApi {
  let delayed: RegExp | null = null
  let refused: { readonly calls: RegExp; readonly userId: string | null } | null = null
  let healed = Promise.withResolvers<void>()
  const isRefused = ({ path, headers }: InternalRequest) =>
    refused?.calls.test(path) === true &&
    (refused.userId === null || refused.userId === subjectOf(headers?.authorization))
  return {
    replacements: {
      betweenPagesAndApi: (dispatch) => async (request) => {
        if (isRefused(request)) {
          const { status, body, headers } = toErrors(new Fault('database.unavailable'), randomUUID())
          return { status, headers, body: Buffer.from(JSON.stringify(body)) }
        }
        if (delayed?.test(request.path)) await healed.promise
        return dispatch(request)
      },
    },
    delay: (calls) => {
      delayed = calls
    },
    refuse: (calls, userId = null) => {
      refused = { calls, userId }
    },
    heal: () => {
      ;[delayed, refused] = [null, null]
      healed.resolve()
      healed = Promise.withResolvers<void>()
    },
  }
}

/** The person of an access token; null: there is no token. */
function subjectOf(authorization: string | undefined): string | null {
  const [, payload] = authorization?.split('.') ?? []
  return payload === undefined ? null : Object(JSON.parse(Buffer.from(payload, 'base64url').toString())).sub
}
