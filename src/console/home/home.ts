import type { Endpoint } from '../../http/routes/endpoint.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Language } from '../../pages/language.ts'
import { figure, moment } from '../../pages/moment-text.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { rows } from '../../pages/parts.ts'
import { badge, table } from '../../pages/table.ts'
import { type Frame, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { journalTexts } from '../journal/texts.ts'
import { type HomeTexts, homeTexts } from './texts.ts'

type Row = { readonly month: string; readonly [metric: string]: string | number }
type Statistics = {
  readonly from: string
  readonly until: string
  readonly issuances: readonly Row[]
  readonly presentations: readonly Row[]
}
type Event = { readonly id: string; readonly type: string; readonly createdAt: string }

const home = screen({
  ...{ place: 'home', path: '/console', summary: 'Shows the figures, what is to do, and the latest events.' },
  show: async (frame) => {
    const t = homeTexts[frame.language]
    const [figures, events, steps] = await Promise.all([figuresOf(frame, t), latest(frame, t), setUp(frame, t)])
    const actions = html`<div class="buttons">${may(frame, 'verification:write') && html`<a class="button plain" href="/console/verify">${t.verify}</a>`}${may(frame, 'issuance:write') && html`<a class="button main" href="/console/issue">${t.issue}</a>`}</div>`
    const { name } = frame.me
    return { title: name === null ? t.helloAll : t.hello(name), main: html`${steps}${figures}${events}`, actions }
  },
})

/** Returns what a call gives; null where it is refused or too slow: the rest of the page is shown. */
async function unlessRefused<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 401) throw error
    return null
  }
}

async function figuresOf(frame: Frame, t: HomeTexts): Promise<Html | null> {
  if (!may(frame, 'audit:read')) return null
  const answer = await unlessRefused(frame.api.get<Statistics>('/creds/stats'))
  if (answer === null) return html`<p class="hint">${t.late}</p>`
  const { data, meta } = answer
  const sum = (list: readonly Row[], metric: string) => list.reduce((total, one) => total + Number(one[metric] ?? 0), 0)
  const shown = [
    [t.offered, sum(data.issuances, 'offered')],
    [t.taken, sum(data.issuances, 'completed')],
    [t.revoked, sum(data.issuances, 'revoked')],
    [t.verified, sum(data.presentations, 'verified')],
  ] as const
  const list = shown.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd class="figure">${figure(value, frame.language)}</dd></div>`,
  )
  return html`<section class="stack"><h2>${t.figures}</h2><dl class="figures">${list}</dl><p class="hint">${t.asOf} ${moment(String(meta.asOf), frame.language)}</p></section>
${chart(
  t,
  frame.language,
  monthsOf(data).map((month) => [
    month,
    sum(
      data.issuances.filter((one) => one.month === month),
      'completed',
    ),
  ]),
)}`
}

function monthsOf({ from, until }: Statistics): readonly string[] {
  const months: string[] = []
  for (let at = new Date(`${from}-01T00:00:00Z`); months.length < 12; at.setUTCMonth(at.getUTCMonth() + 1)) {
    const month = at.toISOString().slice(0, 7)
    months.push(month)
    if (month === until) break
  }
  return months
}

/** Bars drawn by the server, with the table behind them. */
function chart(t: HomeTexts, language: Language, values: readonly (readonly [month: string, value: number])[]): Html {
  if (values.every(([, value]) => value === 0)) return html``
  const most = Math.max(1, ...values.map(([, value]) => value))
  const name = (month: string, style: 'narrow' | 'long') =>
    new Intl.DateTimeFormat(
      language,
      style === 'narrow' ? { month: 'narrow', timeZone: 'UTC' } : { month: 'long', year: 'numeric', timeZone: 'UTC' },
    ).format(new Date(`${month}-01T00:00:00Z`))
  const bars = values.map(([month, value], at) => {
    const height = Math.max(1, Math.round((110 * value) / most))
    return html`<rect x="${at * 50}" y="${112 - height}" width="44" height="${height}" rx="2"></rect><text x="${at * 50 + 22}" y="130">${name(month, 'narrow')}</text>`
  })
  const rowsBehind = table(
    t.byMonth,
    [
      { heading: t.month, cell: ([month]) => name(month, 'long') },
      { heading: t.taken, cell: ([, value]) => figure(value, language), isFigure: true },
    ],
    values,
  )
  return html`<section class="panel"><header><h2>${t.byMonth}</h2></header><div class="inside"><svg class="chart" viewBox="0 0 ${values.length * 50 - 6} 136" aria-hidden="true">${bars}</svg><details><summary>${t.table}</summary>${rowsBehind}</details></div></section>`
}

async function latest(frame: Frame, t: HomeTexts): Promise<Html | null> {
  if (!may(frame, 'webhooks:write')) return null
  const answer = await unlessRefused(frame.api.get<readonly Event[]>('/creds/events', { 'page[size]': '5' }))
  if (answer === null) return null
  const { events } = journalTexts[frame.language]
  const items = answer.data.map(({ type, createdAt }) => ({
    title: events[type] ?? type,
    about: moment(createdAt, frame.language),
  }))
  return html`<section class="panel"><header><h2>${t.latest}</h2><a href="/console/events">${t.allEvents}</a></header>${items.length === 0 ? html`<p class="inside">${t.nothing}</p>` : rows(t.latest, items)}</section>`
}

/** The steps that an organisation begins with, until all are done. */
async function setUp(frame: Frame, t: HomeTexts): Promise<Html | null> {
  if (!may(frame, 'issuance:write')) return null
  const first = { 'page[size]': '1' }
  const count = async (path: string, size = first) =>
    (await unlessRefused(frame.api.get<readonly unknown[]>(path, size)))?.data.length ?? null
  const [templates, issued, people, requests] = await Promise.all([
    count('/creds/templates/credentials'),
    count('/creds/credentials'),
    may(frame, 'users:read') ? count('/onboarding/users', { 'page[size]': '2' }) : null,
    may(frame, 'verification:read') ? count('/creds/templates/presentations') : null,
  ])
  const steps = [
    { text: t.steps.template, href: '/console/templates', isDone: (templates ?? 1) > 0, isShown: templates !== null },
    { text: t.steps.issued, href: '/console/issue', isDone: (issued ?? 1) > 0, isShown: issued !== null },
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

/** The home of the console. */
export const homeScreens: readonly Endpoint[] = home
