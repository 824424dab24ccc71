import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Which calls of our API a server gets, from its own pages too. Its log and its metrics have the patterns of routes
 * only, without the query.
 */
export type CallRecord = {
  /** For the server that is recorded. */
  readonly settings: { readonly NODE_OPTIONS: string }
  /** Returns method, path and query of each call during some work, e.g. `GET /creds/events?page%5Bsize%5D=25`. */
  readonly during: (work: () => Promise<void>) => Promise<readonly string[]>
  readonly remove: () => void
}

/**
 * Prepares the record of one server, which the web framework tells of each request. A line costs the server some
 * hundredths of a millisecond.
 */
export function openCallRecord(): CallRecord {
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-calls-'))
  const file = join(folder, 'calls')
  const script = `import { appendFileSync } from 'node:fs'
import { subscribe } from 'node:diagnostics_channel'
subscribe('tracing:fastify.request.handler:start', ({ request: { method, url } }) => appendFileSync(${JSON.stringify(file)}, method + ' ' + url + '\\n'))`
  return {
    settings: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` },
    during: async (work) => {
      writeFileSync(file, '')
      await work()
      return readFileSync(file, 'utf8').split('\n').filter(isOfApi)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** The session asks who the person is when it renews its token, whichever page is opened then. */
function isOfApi(line: string): boolean {
  return /^[A-Z]+ \/(creds|wallet|onboarding)\//.test(line) && !/^GET \/onboarding\/me(\?|$)/.test(line)
}
