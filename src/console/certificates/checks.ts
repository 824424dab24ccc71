import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import type { ApiRefusal } from '../../pages/own-api.ts'
import { badge } from '../../pages/table.ts'
import type { Frame } from '../frame/screen.ts'
import { type SigningRequestTexts, signingRequestTexts } from './signing-request-texts.ts'

type Check = keyof SigningRequestTexts['checkNames']

/** In the order in which the server makes them; it stops at the first that fails. */
const checks: readonly Check[] = ['form', 'key', 'country', 'usage', 'time', 'length', 'chain']

/** The check that a rule of the API belongs to. */
const byRule: Readonly<Record<string, Check>> = {
  form: 'form',
  key: 'key',
  country: 'country',
  basic_constraints: 'usage',
  key_usage: 'usage',
  extended_key_usage: 'usage',
  'validity.start': 'time',
  'validity.end': 'time',
  'validity.length': 'length',
}

/** Returns every check of an imported certificate by name, with what failed in the words of the server. */
export function certificateChecks(frame: Frame, refusal: ApiRefusal): Html {
  const t = signingRequestTexts[frame.language]
  const [found] = refusal.errors
  const failed = checks.indexOf(byRule[found?.rule ?? 'form'] ?? 'chain')
  const rows = checks.map((name, index) => {
    const state = index < failed ? badge(t.checkStates.passed, 'ok') : badge(t.checkStates.open, 'plain')
    const detail = html`<span lang="en">${foreign(found?.detail ?? '', 500)}</span>`
    const why = html`${badge(t.checkStates.failed, 'bad')}<br>${detail}`
    return html`<div><dt>${t.checkNames[name]}</dt><dd>${index === failed ? why : state}</dd></div>`
  })
  return html`<section class="panel"><header><h2>${t.checks}</h2></header><dl class="facts">${rows}</dl></section>`
}
