import type { Endpoint } from '../http/routes/endpoint.ts'
import { html } from '../pages/html.ts'
import { pageEndpoint } from '../pages/page-endpoint.ts'
import { buttonLink, message } from '../pages/parts.ts'
import { foreignText } from '../protocols/foreign-text.ts'
import { isRepeatable, type Refusal, sharingTime } from './call-api.ts'
import { callCheckPresentation, readOrganisation, readSharedCard } from './link-api.ts'
import { checkPath, framedFor, privateHeaders } from './link-frame.ts'
import { linkTexts } from './link-texts.ts'
import { checksView, contentView, selfCheckView, sharingView, verdictView } from './link-views.ts'
import { refused, refusedMessage, visitorShell } from './views.ts'

const NAME_CHARS = 100

/** What a holder shows by a link: who issued it, what it says, whether it is valid now. */
const sharedCard = pageEndpoint({
  method: 'GET',
  path: '/shared/{secret}',
  summary: 'Shows a card to whoever has the link, with its state as of now.',
  handle: async (context) => {
    const { params, language, platform } = context
    const asking = sharingTime(context)
    const shared = await readSharedCard(asking, context, params.secret)
    if (shared.refusal !== null) return refusedCard(shared.refusal)
    const { organisation, display } = shared.data
    const [face, check] = await Promise.all([
      readOrganisation(asking, organisation),
      callCheckPresentation(asking, organisation, shared.data),
    ])
    if (face.refusal !== null) return refusedCard(face.refusal)
    if (check.refusal !== null) return refusedCard(check.refusal)
    const path = `/shared/${encodeURIComponent(params.secret)}`
    const main = html`${verdictView(check.data, language)}
    ${contentView(check.data, language, display?.labels ?? [])}
    ${sharingView(shared.data, language)}
    ${checksView(check.data, language, platform.clock.now(), false)}
    ${selfCheckView(`${path}/presentation.json`, checkPath(organisation), language)}`
    const title = foreignText(display?.name, NAME_CHARS) ?? linkTexts[language].says
    return framedFor(face.data, language, { title, main })

    /** A link that is wrong, unknown or has ended looks the same. */
    function refusedCard(refusal: Refusal) {
      const t = linkTexts[language]
      const shell = visitorShell()
      const { status, retryAfterSeconds } = refusal
      const wait = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) }
      const headers = { ...privateHeaders, ...wait }
      if (isRepeatable(refusal)) {
        const again = html`<p class="buttons">${buttonLink(context.texts.tryAgain, context.here)}</p>`
        const main = html`${refusedMessage(refusal, language)}${again}`
        return { status, headers, page: { title: refused(refusal, language).title, main, hasErrors: true, shell } }
      }
      const way = html`<p class="buttons">${buttonLink(context.texts.toStart, '/')}</p>`
      const main = html`${message('bad', t.gone)}${way}`
      const page = { title: t.goneTitle, main, hasErrors: true, shell }
      return { status: 404, headers, page }
    }
  },
})

/** Pages of links. */
export const linkPages: readonly Endpoint[] = [sharedCard]
