import type { ApiOperation } from '../../contract/api-operation.ts'
import { type Html, html } from '../../pages/html.ts'
import type { LooseCall } from '../../pages/own-api.ts'
import type { SignedInContext } from '../../pages/session/signed-in-endpoint.ts'
import { copied } from './copied.ts'
import type { ConsoleTexts } from './texts.ts'

/**
 * Returns the call of the API that answers with what the page shows, to be copied. The page loads the module
 * `copy-text`.
 */
export function forDevelopers(
  frame: Pick<SignedInContext, 'api' | 'texts'> & { readonly t: ConsoleTexts },
  operation: ApiOperation,
  asked: LooseCall = {},
): Html {
  // The address holds no quote, at which a shell would end it.
  const address = frame.api.addressOf(operation, asked).replaceAll("'", '%27')
  const command = `curl -H "Authorization: Bearer $TOKEN" '${address}'`
  return html`<details class="developers"><summary>${frame.t.developers}</summary>${copied(frame, command)}</details>`
}
