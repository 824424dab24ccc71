import { checkbox, checkboxes, select, textArea } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import type { FurtherDraft } from './further-draft.ts'
import { furtherTexts } from './further-texts.ts'

/** A webhook endpoint to choose. */
export type Choosable = { readonly id: string; readonly url: string }

const CLAIMS_CHARS_MAX = 60_000

/** Returns the webhook endpoints to choose from, at most 100; null: the person may not see them. */
export async function readEndpoints(frame: Frame): Promise<readonly Choosable[] | null> {
  if (!may(frame, 'events:read')) return null
  return (await frame.api.get<readonly Choosable[]>('/creds/endpoints', { 'page[size]': '100' })).data
}

/** Returns the fields for which wallets get credentials, and where attributes come from: in a group that is open where something is set or wrong. */
export function furtherFields(
  frame: Frame,
  draft: FurtherDraft,
  problems: Problems,
  endpoints: readonly Choosable[] | null,
): Html {
  const f = furtherTexts[frame.language]
  const isWrong = ['attested', 'source', 'endpoint', 'provider', 'claims'].some((name) => problems.fields[name])
  const isOpen = draft.isAttested || draft.source !== '' || isWrong
  return html`<details${isOpen && html` open`}><summary>${f.more}</summary><div class="stack">${attestationFields(frame, draft)}${sourceFields(frame, draft, problems, endpoints)}</div></details>`
}

function attestationFields(frame: Frame, draft: FurtherDraft): Html {
  const f = furtherTexts[frame.language]
  const choices = (on: readonly string[]) =>
    [...new Set([...Object.keys(f.levels), ...on])].map((value) => ({ value, text: f.levels[value] ?? value }))
  const levels = (name: 'storage' | 'authentication') => checkboxes(name, f[name], choices(draft[name]), draft[name])
  return html`<div class="code">${checkbox({ name: 'attested', label: f.attested, hint: f.attestedHint, isOn: draft.isAttested })}<div class="code-parts">${levels('storage')}${levels('authentication')}</div></div>`
}

/** The style sheet hides what the chosen source does not need. */
function sourceFields(
  frame: Frame,
  draft: FurtherDraft,
  { fields }: Problems,
  endpoints: readonly Choosable[] | null,
): Html {
  const f = furtherTexts[frame.language]
  const sources = Object.entries(f.sources).map(([value, text]) => ({ value, text }))
  const shared = (name: 'source' | 'endpoint' | 'provider' | 'claims') => ({
    ...{ name, label: f[name], value: draft[name], error: fields[name] },
  })
  const known = (endpoints ?? []).map(({ id, url }) => ({ value: id, text: url }))
  const isKnown = draft.endpoint === '' || known.some(({ value }) => value === draft.endpoint)
  const choices = isKnown ? known : [{ value: draft.endpoint, text: draft.endpoint }, ...known]
  const endpoint =
    endpoints === null
      ? field(frame, { ...shared('endpoint'), hint: f.endpointId, isOptional: true, isName: true })
      : html`${select(frame, { ...shared('endpoint'), hint: f.endpointHint, choices })}<p class="hint"><a href="/console/webhooks">${frame.t.menu.webhooks}</a></p>`
  const provider = field(frame, { ...shared('provider'), hint: f.providerHint, lengthMax: 64, isOptional: true })
  const claims = textArea(frame, {
    ...{ ...shared('claims'), hint: f.claimsHint, isCode: true, rows: 4, lengthMax: CLAIMS_CHARS_MAX },
  })
  return html`<div class="source">${select(frame, { ...shared('source'), hint: f.sourceHint, choices: sources })}<div class="webhook">${endpoint}</div><div class="provider">${provider}${claims}</div></div>`
}
