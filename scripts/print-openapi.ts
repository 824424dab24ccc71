import { endpoints, routes } from '../src/contributions.ts'
import { webhookReference } from '../src/events/webhooks/webhook-reference.ts'
import { openApiOf } from '../src/http/openapi/openapi.ts'

const publicUrl = 'http://localhost:8080'
const config = {
  publicUrl,
  walletBaseUrl: `${publicUrl}/wallet`,
  credsBaseUrl: `${publicUrl}/creds`,
  onboardingBaseUrl: `${publicUrl}/onboarding`,
}

/**
 * Returns `docs/openapi/*.json` by path: one document per group of our API, and one for the protocol surface. The
 * addresses in descriptions are those of a development server.
 */
export function printOpenApi(): Record<string, string> {
  const groups = (['wallet', 'creds', 'onboarding'] as const).map((group) => {
    const own = routes.filter((route) => route.group === group)
    return [
      group,
      openApiOf({ config, routes: own, endpoints: [], webhook: group === 'creds' ? webhookReference : undefined }),
    ] as const
  })
  const protocols = ['protocols', openApiOf({ config, routes: [], endpoints })] as const
  const printed = [...groups, protocols].map(([name, document]) => [`docs/openapi/${name}.json`, print(document)])
  return Object.fromEntries(printed)
}

/** Returns the document with everything, which a server answers at `/openapi.json`. `npm run -s openapi` prints it. */
export function printWholeOpenApi(): string {
  return print(openApiOf({ config, routes, endpoints, webhook: webhookReference }))
}

function print(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`
}

if (import.meta.main) process.stdout.write(printWholeOpenApi())
