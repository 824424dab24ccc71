import { users } from '../../contract/directory/users.ts'
import { statistics } from '../../contract/events/statistics.ts'
import { credentialTemplates } from '../../contract/issuance/credential-templates.ts'
import type { ListOperation } from '../../contract/operation-group.ts'
import { presentationTemplates } from '../../contract/verification/presentation-templates.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { type Html, html } from '../../pages/html.ts'
import { figure } from '../../pages/moment-text.ts'
import { buttonLink } from '../../pages/parts.ts'
import { badge } from '../../pages/table.ts'
import { type Frame, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { when } from '../frame/when.ts'
import { chartOf, type Statistics, sumOf } from './chart.ts'
import { figureScreens } from './figures.ts'
import { latestEvents, latestScreens } from './latest.ts'
import { needsYou, type Overview } from './needs.ts'
import { searchScreens } from './search.ts'
import { type HomeTexts, homeTexts } from './texts.ts'

const home = screen({
  place: 'home',
  path: '/console',
  summary: 'Shows the figures, what is to do, and the latest events.',
  show: async (frame) => {
    // Who has no role has cards, and nothing to do here.
    if (frame.me.roles.length === 0) return { to: '/me' }
    const t = homeTexts[frame.language]
    const [overview, figures, latest] = await Promise.all([
      frame.orMissing(frame.api.call(statistics.getOverview)),
      may(frame, 'audit:read') ? frame.orMissing(frame.api.call(statistics.get, { query: { group: 'time' } })) : null,
      latestEvents(frame, t),
    ])
    // Without these figures an organisation that works would be told to set up.
    const isKnown = overview !== null && (figures !== null || !may(frame, 'audit:read'))
    const steps = isKnown ? await setUp(frame, t, overview.data, figures?.data ?? null) : null
    const needs = overview === null ? null : needsYou(overview.data, t, frame.language)
    const actions = html`<div class="buttons">
      ${may(frame, 'verification:write') && buttonLink(t.verify, '/console/verify')}
      ${may(frame, 'issuance:write') && buttonLink(t.issue, '/console/issue', 'main')}
    </div>`
    const { name } = frame.me
    const all = html`<a href="/console/figures">${t.allFigures}</a>`
    const main = html`${overview !== null && figuresOf(frame, t, overview.data, String(overview.meta.asOf))}
    ${steps}
    <div class="side-by-side">${needs}${latest}</div>
    ${figures !== null && chartOf(t, frame.language, figures.data, all)}`
    return {
      title: name === null ? t.helloAll : t.hello(name),
      main,
      actions,
      modules: latest === null ? [] : ['fragments'],
    }
  },
})

function figuresOf(frame: Frame, t: HomeTexts, overview: Overview, asOf: string): Html | null {
  const { valid, offered, ending, suspended, revoked, verifiedToday } = overview
  const write = (value: number) => figure(value, frame.language)
  const ofCredentials = [
    [t.valid, valid, ending === undefined ? null : t.endSoon(write(ending), ending)],
    [t.offered, offered, null],
    [t.suspendedOrRevoked, sum(suspended, revoked), suspended === undefined ? null : t.suspended(write(suspended))],
  ] as const
  const shown = [...ofCredentials, [t.verifiedToday, verifiedToday, null] as const].filter(
    ([, value]) => value !== undefined,
  )
  if (shown.length === 0) return null
  const list = shown.map(([name, value = 0, about]) => {
    const more = about !== null && html`<dd class="about">${about}</dd>`
    return html`<div><dt>${name}</dt><dd class="figure">${write(value)}</dd>${more}</div>`
  })
  return html`<p class="lead">${t.asOf} ${when(frame, asOf)}</p>
  <section aria-label="${t.figures}"><dl class="figures">${list}</dl></section>`
}

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one + other
}

/** The steps that an organisation begins with, until all are done. What the figures say already is not asked again. */
async function setUp(
  frame: Frame,
  t: HomeTexts,
  { valid = 0, offered = 0, revoked = 0 }: Overview,
  statistics: Statistics | null,
): Promise<Html | null> {
  if (!may(frame, 'issuance:write')) return null
  const isIssued = valid + offered + revoked > 0 || (statistics !== null && sumOf(statistics.issuances, 'offered') > 0)
  const { slug, name } = frame.me.organisation
  const isUnnamed = slug === 'default' && name === 'Default'
  const isAsked = statistics !== null && sumOf(statistics.presentations, 'requested') > 0
  const count = async (list: ListOperation, query: Readonly<Record<string, string>> = { 'page[size]': '1' }) =>
    (await frame.orMissing(frame.api.call(list, { query })))?.data.length ?? null
  const [templates, people, requests] = await Promise.all([
    isIssued ? 1 : count(credentialTemplates.list),
    // Not those who have opened an offer, and have a wallet only.
    may(frame, 'users:read') ? count(users.list, { 'filter[hasRole]': 'true', 'page[size]': '2' }) : null,
    isAsked ? 1 : may(frame, 'verification:read') ? count(presentationTemplates.list) : null,
  ])
  const steps = [
    { text: t.steps.name, href: '/console/settings', isDone: !isUnnamed, isShown: may(frame, 'tenant:admin') },
    { text: t.steps.template, href: '/console/templates', isDone: (templates ?? 1) > 0, isShown: templates !== null },
    { text: t.steps.issued, href: '/console/issue', isDone: isIssued, isShown: true },
    { text: t.steps.people, href: '/console/people', isDone: (people ?? 2) > 1, isShown: people !== null },
    { text: t.steps.request, href: '/console/requests', isDone: (requests ?? 1) > 0, isShown: requests !== null },
  ].filter(({ isShown }) => isShown)
  if (steps.every(({ isDone }) => isDone)) return null
  const items = steps.map(
    ({ text, href, isDone }) =>
      html`<li><a href="${href}">${text}</a>${isDone ? badge(t.done, 'ok') : badge(t.open, 'plain')}</li>`,
  )
  return html`<section class="panel"><header><h2>${t.setUp}</h2></header><ol class="steps">${items}</ol></section>`
}

/** The home of the console, search and figures. */
export const homeScreens: readonly Endpoint[] = [...home, ...latestScreens, ...searchScreens, ...figureScreens]
