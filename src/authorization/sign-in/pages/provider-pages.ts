import type { Endpoint } from '../../../http/routes/endpoint.ts'
import { type PageAnswer, type PageContext, pageEndpoint } from '../../../pages/page-endpoint.ts'
import { beginProviderSignIn, finishProviderSignIn, type ProviderProblem } from '../providers/sign-in-by-provider.ts'
import { problemScreen } from '../screens/states.ts'
import type { SignInTexts } from '../screens/texts.ts'
import { isFresh } from '../session.ts'
import { withKnownOrganisation } from './known-organisation.ts'
import { AGAIN, browserOf, continueTo, keeping, sessionOf, signedIn } from './request.ts'

type Problem = keyof SignInTexts['problems']

const said: Readonly<Record<ProviderProblem, Problem>> = {
  state: 'interrupted',
  provider: 'provider',
  unavailable: 'providerAway',
  disabled: 'unavailable',
  unknown: 'unknownPerson',
  taken: 'unknownPerson',
  unproven: 'unprovenPerson',
}

function problemPage(context: PageContext, problem: Problem, cookies: readonly string[] = []): PageAnswer {
  return { status: 403, page: problemScreen(context, problem, keeping('/sign-in', context)), cookies }
}

const beginSignIn = pageEndpoint({
  method: 'POST',
  path: '/sign-in/provider/{name}',
  summary: 'Sends a person to an external OpenID provider of their organisation.',
  handle: async (request) => {
    const context = await withKnownOrganisation(request)
    const { platform, params, query, ip, headers } = context
    const asked = {
      provider: params.name,
      loginHint: query.hint ?? null,
      holdsClaims: query.claims === '1',
      isForced: query.login === '1',
    }
    const about = { tenantSlug: query.tenant ?? '', ...asked }
    const where = { path: continueTo(context), ip, cookieHeader: headers.cookie }
    const begun = await beginProviderSignIn(platform, about, where)
    return begun === null ? problemPage(context, 'providerAway') : { leaveFor: begun.url, cookies: begun.cookies }
  },
})

const finishSignIn = pageEndpoint({
  method: 'GET',
  path: '/sign-in/external/{tenant}/{name}',
  summary: 'Takes the answer of an external OpenID provider, and signs the person in.',
  handle: async (context) => {
    const outcome = await finishProviderSignIn(context.platform, context.here, browserOf(context))
    const { tenant } = context.params
    if (outcome.kind !== 'refused')
      return signedIn({ ...context, query: { continue: outcome.continueTo ?? '' } }, outcome)
    return problemPage({ ...context, query: { tenant } }, said[outcome.problem], outcome.cookies)
  },
})

const beginConnection = pageEndpoint({
  method: 'POST',
  path: '/account/providers/{name}',
  summary: 'Sends a signed-in person to an external OpenID provider, to connect the account there.',
  handle: async (context) => {
    const { platform, params, ip, headers } = context
    const session = await sessionOf(context)
    if (session === null || !isFresh(platform, session)) return { to: AGAIN }
    const { tenantSlug, userId } = session
    const about = { tenantSlug, provider: params.name, loginHint: null, connectTo: userId }
    const begun = await beginProviderSignIn(platform, about, { path: '/account', ip, cookieHeader: headers.cookie })
    return begun === null ? problemPage(context, 'providerAway') : { leaveFor: begun.url, cookies: begun.cookies }
  },
})

/** The sign-in at external OpenID providers. */
export const providerPages: readonly Endpoint[] = [beginSignIn, finishSignIn, beginConnection]
