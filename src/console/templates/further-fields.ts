import { identityProviders } from '../../contract/directory/identity-providers.ts'
import { webhooks } from '../../contract/events/webhooks.ts'
import { type Choice, choicesIn, select, textArea } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import type { SourceDraft } from './content/source-draft.ts'
import type { Draft } from './draft.ts'
import { plainText, templateFields } from './fields.ts'
import { furtherTexts } from './further-texts.ts'

/** A webhook endpoint to choose. */
type Endpoint = { readonly id: string; readonly url: string }
/** An identity provider to choose. */
type Provider = { readonly name: string; readonly displayName: string; readonly signIn: boolean }

/** Where attributes may come from, at most 100 of each; null: the person may not see them, or they are missing. */
export type Sources = { readonly endpoints: readonly Endpoint[] | null; readonly providers: readonly Provider[] | null }

const CLAIMS_CHARS_MAX = 60_000

/** Returns the webhook endpoints, and the identity providers at which people sign in, to choose from. */
export async function readSources(frame: Frame): Promise<Sources> {
  const query = { 'page[size]': '100' }
  const [endpoints, providers] = await Promise.all([
    may(frame, 'events:read') ? frame.orMissing(frame.api.call(webhooks.list, { query })) : null,
    may(frame, 'tenant:admin') ? frame.orMissing(frame.api.call(identityProviders.list, { query })) : null,
  ])
  return {
    endpoints: endpoints?.data ?? null,
    providers: providers?.data.filter(({ signIn }) => signIn) ?? null,
  }
}

/**
 * Returns the fields for which wallets get credentials, and where attributes come from: in a group that is open where
 * something is set or wrong.
 */
export function furtherFields(frame: Frame, draft: Draft, problems: Problems, sources: Sources): Html {
  const f = furtherTexts[frame.language]
  const one = (name: string) => templateFields.field(frame, draft.plain, problems, name)
  const isWrong = ['scheme', 'attested', 'source', 'endpoint', 'provider', 'claims'].some(
    (name) => problems.fields[name],
  )
  const isSet = plainText(draft, 'scheme') + plainText(draft, 'attested') + draft.source.source !== ''
  return html`<details${(isSet || isWrong) && html` open`}>
    <summary>${f.more}</summary>
    <div class="stack">
      ${one('scheme')}
      <div class="code">
        ${one('attested')}
        <div class="code-parts">${one('storage')}${one('authentication')}</div>
      </div>
      ${sourceFields(frame, draft.source, problems, sources)}
    </div>
  </details>`
}

/** The style sheet hides what the chosen source does not need. */
function sourceFields(frame: Frame, draft: SourceDraft, { fields }: Problems, { endpoints, providers }: Sources): Html {
  const f = furtherTexts[frame.language]
  const kinds = choicesIn(f.sources)
  const shared = (name: 'source' | 'endpoint' | 'provider' | 'claims') => ({
    name,
    label: f[name],
    value: draft[name],
    error: fields[name],
  })
  const urls = withChosen(
    (endpoints ?? []).map(({ id, url }) => ({ value: id, text: url })),
    draft.endpoint,
  )
  const named = (providers ?? []).map(({ name, displayName }) => ({
    value: name,
    text: displayName === name ? name : `${displayName} (${name})`,
  }))
  const endpoint =
    endpoints === null
      ? field(frame, { ...shared('endpoint'), hint: f.endpointId, isOptional: true, isName: true })
      : html`${select(frame, { ...shared('endpoint'), hint: f.endpointHint, choices: urls })}
      <p class="hint"><a href="/console/webhooks">${frame.t.menu.webhooks}</a></p>`
  const provider =
    providers === null
      ? field(frame, { ...shared('provider'), hint: f.providerHint, lengthMax: 64, isOptional: true })
      : select(frame, {
          ...shared('provider'),
          choices: [{ value: '', text: f.anyProvider }, ...withChosen(named, draft.provider)],
        })
  const claims = textArea(frame, {
    ...shared('claims'),
    hint: f.claimsHint,
    isCode: true,
    rows: 4,
    lengthMax: CLAIMS_CHARS_MAX,
  })
  return html`<div class="source">
    ${select(frame, { ...shared('source'), hint: f.sourceHint, choices: kinds })}
    <div class="webhook">${endpoint}</div>
    <div class="provider">${provider}${claims}</div>
  </div>`
}

/** The choices, with what is chosen already where it is none of them: it stays until the person changes it. */
function withChosen(choices: readonly Choice[], chosen: string): readonly Choice[] {
  const isKnown = chosen === '' || choices.some(({ value }) => value === chosen)
  return isKnown ? choices : [{ value: chosen, text: chosen }, ...choices]
}
