import { setTimeout as pause } from 'node:timers/promises'
import { attributes, receivers, template } from '../../bench/party.ts'
import { isJsonObject, parseJson } from '../../src/crypto/json.ts'
import { aReceiver, type Receiver } from '../../src/events/test-support/receiver.ts'
import { type ApiCaller, apiCaller, dataOf, Failure } from './caller.ts'

/**
 * Whole issuances, one after another in each of several workers: an offer, and the wallet of a user that redeems it.
 */
export type Load = {
  /** Calls that failed. */
  readonly failures: string[]
  /** Ids of acknowledged issuances, and of acknowledged credentials in wallets. */
  readonly offered: Set<string>
  readonly received: Set<string>
  /** Ends the workers after their current flow. */
  readonly stop: () => Promise<void>
  /** Opens an issuance at one server. @returns whether it was acknowledged */
  readonly tryAt: (url: string) => Promise<boolean>
  /** What the database has lost of what was acknowledged, and of which offers the webhook endpoint was not told. */
  readonly missing: () => Promise<{ offers: number; credentials: number; events: number }>
}

const EVENT = 'openid4vc.issuance.offered'
const TELL_MS_MAX = 180_000

/** Prepares a template and a webhook endpoint, and starts the workers. */
export async function startLoad(base: string, workers: number): Promise<Load> {
  const caller = apiCaller(base)
  const [failures, offered, received] = [[] as string[], new Set<string>(), new Set<string>()]
  const receiver = await aReceiver()
  const made = await caller.call('POST', '/creds/templates/credentials', { json: template })
  await caller.call('POST', '/creds/endpoints', { json: { url: receiver.url, filterTypes: [EVENT] } })
  const offerAt = async (at: string): Promise<string> => {
    const json = { credentialTemplateId: dataOf(made).id, attributes }
    const opened = dataOf(await caller.call('POST', '/creds/credentials/issuance', { json, at }))
    offered.add(String(opened.id))
    return String(opened.offerUri)
  }
  const flow = async (username: string | null): Promise<void> => {
    const json = { credentialOffer: await offerAt(base) }
    const { data } = await caller.call('POST', '/wallet/v2/credentials', { as: username, json })
    for (const one of Array.isArray(data) ? data.filter(isJsonObject) : []) received.add(String(one.id))
  }
  let isEnding = false
  const work = async (worker: number): Promise<void> => {
    for (let n = worker; !isEnding; n += 1) {
      try {
        await flow(receivers[n % receivers.length] ?? null)
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        failures.push(error.message)
        await pause(200)
      }
    }
  }
  const working = Array.from({ length: workers }, (_, worker) => work(worker))
  return {
    failures,
    offered,
    received,
    stop: async () => {
      isEnding = true
      await Promise.all(working)
    },
    tryAt: (url) =>
      offerAt(url).then(
        () => true,
        () => false,
      ),
    missing: async () => {
      const issuances = await caller.ids('/creds/credentials')
      const credentials = received.difference(await heldBy(caller)).size
      const events = await untold(offered, receiver)
      await receiver.close()
      return { offers: offered.difference(issuances).size, credentials, events }
    },
  }
}

async function heldBy(caller: ApiCaller): Promise<Set<string>> {
  let held = new Set<string>()
  for (const one of receivers) held = held.union(await caller.ids('/wallet/v2/credentials', one))
  return held
}

/** Waits until the endpoint was told of all. @returns how many are missing after {@link TELL_MS_MAX} */
async function untold(offered: ReadonlySet<string>, { messages }: Receiver): Promise<number> {
  const end = performance.now() + TELL_MS_MAX
  for (;;) {
    const events = messages.map(({ body }) => parseJson(body)).filter(isJsonObject)
    const subjects = events.map((event) => dataOf(event).subject).filter(isJsonObject)
    const missing = offered.difference(new Set(subjects.map(({ id }) => String(id)))).size
    if (missing === 0 || performance.now() > end) return missing
    await pause(500)
  }
}
