import { getTenant } from '../../directory/tenants/find-tenant.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { type AskedInWords, askedList } from '../../pages/claims/asked.ts'
import { html } from '../../pages/html.ts'
import { type PageAnswer, pageEndpoint } from '../../pages/page-endpoint.ts'
import { embeddedPageHeaders } from '../../pages/page-headers.ts'
import { linksOf, type RequestLinks } from '../requests/request-links.ts'
import { openRequestOf } from '../requests/serve-request-object.ts'
import { askedCredentials, inWords } from '../templates/asked-credentials.ts'
import { originsOf } from './build-browser-request.ts'
import { digitalRequestTexts } from './request-texts.ts'

/** The page on which a holder presents; pages of the origins of the request may embed it. */
export const requestPage = pageEndpoint({
  method: 'GET',
  path: '/verifiers/{tenant}/requests/{requestToken}/digital-credentials/page',
  summary: 'Shows what is requested, and requests it with the Digital Credentials API.',
  handle: async ({ platform, params, language }): Promise<PageAnswer> => {
    const tenant = await getTenant(platform, params.tenant)
    const request = await openRequestOf(platform, tenant.id, params.requestToken)
    const origins = originsOf(platform, request)
    const asks = inWords(await askedCredentials(platform, tenant, request.credentials), language)
    const scheme = request.verifierConfig?.scheme ?? null
    const asked = { ...request, scheme, status: 'requested' } as const
    const addresses = await linksOf(platform, tenant, params.requestToken, asked)
    return {
      page: {
        title: digitalRequestTexts[language].title,
        organisation: tenant.name,
        main: content({ tenant, asks, addresses, origins }, digitalRequestTexts[language]),
        modules: ['request-credential'],
      },
      headers: embeddedPageHeaders(origins),
    }
  },
})

type Shown = {
  readonly tenant: Tenant
  readonly asks: readonly AskedInWords[]
  readonly addresses: RequestLinks
  readonly origins: readonly string[]
}

function content({ tenant, asks, addresses, origins }: Shown, texts: (typeof digitalRequestTexts)['en']) {
  return html`<p>${texts.asks(tenant.name)}</p>
  ${askedList(asks)}
  <request-credential src="${addresses.digitalCredentialsUri}"
    parents="${origins.join(' ')}" done="${texts.done}" failed="${texts.failed}">
    <button type="button" class="button main">${texts.present}</button>
    <p role="status"></p>
  </request-credential>
  <p><a href="${addresses.authorizationRequestUri}">${texts.otherWallet}</a></p>`
}
