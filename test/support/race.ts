import assert from 'node:assert/strict'
import { type Api, api, type Reply } from './server.ts'
import type { ServerChildren } from './server-children.ts'

/** Callers at the same moment. */
export const CALLERS = 100

/** Makes each call at one of the processes, all at the same moment. */
export function together(
  { urls }: ServerChildren,
  send: (caller: Api, at: number) => Promise<Reply>,
): Promise<Reply[]> {
  const [one, other] = urls.map((url) => api(url, null)) as [Api, Api]
  return Promise.all(Array.from({ length: CALLERS }, (_, at) => send(at % 2 === 0 ? one : other, at)))
}

/**
 * How many got an answer, and how many which refusal. Requests beyond a rate limit had none. `pending`: a deferred
 * credential is not there yet.
 */
export function tally(replies: readonly Reply[]): Record<string, number> {
  const nameOf = ({ status, body }: Reply) => {
    if (status < 400) return status === 202 ? 'pending' : 'ok'
    return status === 429 ? 'limited' : String(body.error)
  }
  return Object.fromEntries([...Map.groupBy(replies, nameOf)].map(([name, all]) => [name, all.length]))
}

/** Asserts that one caller got an answer and some these refusals, and returns it. */
export function assertOneWinner(replies: readonly Reply[], ...refusals: readonly string[]): Reply {
  const { ok = 0, limited = 0, ...others } = tally(replies)
  const refused = refusals.reduce((sum, name) => sum + (others[name] ?? 0), 0)
  assert.deepEqual([ok, ok + limited + refused], [1, CALLERS], JSON.stringify(tally(replies)))
  assert(refused > 0)
  const winner = replies.find(({ status }) => status < 400 && status !== 202)
  assert(winner !== undefined)
  return winner
}
