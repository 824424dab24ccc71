import { checkbox, hidden, select } from '../../pages/controls.ts'
import { type Field, field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { button } from '../../pages/parts.ts'
import type { Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { type Draft, isConfigured, roleNames } from './draft.ts'
import { type ProviderTexts, providerTexts } from './texts.ts'

/** Texts of the form that are typed in a field of one line. */
type TextName = 'displayName' | 'issuer' | 'clientId' | 'scopes' | 'username' | 'email' | 'rolesClaim' | 'externalId'

const lengths = { displayName: 200, issuer: 2000, clientId: 500, scopes: 10_000, audience: 2000, there: 200 } as const
/** Faults of these open the group of what is seldom changed. */
const seldom = ['scopes', 'username', 'email', 'externalId', 'signIn', 'audience'] as const

/** What the fields are drawn from. `known`: the saved provider; null for a new one. */
type Drawn = {
  readonly frame: Frame
  readonly draft: Draft
  readonly problems: Problems
  readonly known: { readonly hasClientSecret: boolean } | null
}

/** Returns the fields of a provider. */
export function providerFields(drawn: Drawn): Html {
  const { frame, draft, problems, known } = drawn
  const t = providerTexts[frame.language]
  // By Enter in a field the form is saved: the first button counts.
  const first = html`<button type="submit" hidden>${frame.t.save}</button>`
  const name = field(frame, {
    name: 'name',
    label: t.name,
    hint: t.nameHint(addressOf(frame, '…')),
    value: draft.name,
    isName: true,
    lengthMax: 63,
    error: problems.fields.name,
  })
  const create = checkbox({ name: 'createsUsers', label: t.creates, hint: t.createsHint, isOn: draft.createsUsers })
  return html`${hidden('etag', draft.etag)}${first}${text(drawn, 'displayName', { hint: t.displayNameHint })}${known === null ? name : hidden('name', draft.name)}${text(drawn, 'issuer', { hint: t.issuerHint, isName: true })}${text(drawn, 'clientId', { hint: t.clientIdHint, isName: true })}${secretFields(drawn, t)}${create}${roleFields(drawn, t)}${moreFields(drawn, t)}`
}

/** The address to which a provider of this name sends people back. */
function addressOf({ origin, me }: Frame, name: string): string {
  return `${origin}/sign-in/external/${me.organisation.slug}/${name}`
}

function text({ frame, draft, problems }: Drawn, name: TextName, more: Partial<Field> = {}): Html {
  const t = providerTexts[frame.language]
  const lengthMax = name in lengths ? lengths[name as keyof typeof lengths] : 200
  return field(frame, { name, label: t[name], value: draft[name], lengthMax, error: problems.fields[name], ...more })
}

/** A secret is never filled in: one that is there stays, unless another one is typed or it is taken away. */
function secretFields({ frame, draft, problems, known }: Drawn, t: ProviderTexts): Html {
  const isThere = known?.hasClientSecret === true
  const secret = field(frame, {
    name: 'secret',
    label: t.secret,
    hint: isThere ? t.secretKept : t.secretHint,
    type: 'password',
    autocomplete: 'new-password',
    isOptional: true,
    lengthMax: 500,
    error: problems.fields.secret ?? (draft.secret === '' ? undefined : t.secretAgain),
  })
  return html`${secret}${isThere && checkbox({ name: 'noSecret', label: t.noSecret, isOn: draft.hasNoSecret })}`
}

/** Who gets which role: the claim in which the provider says it, and a row for each role there. */
function roleFields(drawn: Drawn, t: ProviderTexts): Html {
  const { frame, draft, problems } = drawn
  const choices = [
    { value: '', text: t.noRole },
    ...roleNames.map((value) => ({ value, text: frame.texts.roles[value] })),
  ]
  const rows = draft.mappings.map(({ there, here }, at) => {
    const error = problems.fields[`there-${at}`]
    const of = { name: `there-${at}`, label: t.there(at + 1), value: there, lengthMax: lengths.there, error }
    const role = { name: `here-${at}`, label: t.here(at + 1), value: here, choices }
    return html`<div class="pair">${field(frame, { ...of, isName: true, isOptional: true })}${select(frame, role)}</div>`
  })
  const claim = text(drawn, 'rolesClaim', { hint: t.rolesClaimHint, isName: true, isOptional: true })
  return html`<fieldset class="stack"><legend>${t.roles}</legend><p class="hint">${t.rolesHint}</p>${claim}${hidden('rows', String(draft.mappings.length))}${rows}<div>${button(t.addRows, { name: 'do', value: 'rows' })}</div></fieldset>`
}

/** A group that is open where something in it is set or wrong. */
function moreFields(drawn: Drawn, t: ProviderTexts): Html {
  const { frame, draft, problems } = drawn
  const isOpen = isConfigured(draft) || seldom.some((name) => problems.fields[name] !== undefined)
  const issuer = `${frame.origin}/issuers/${frame.me.organisation.slug}`
  const audience = field(frame, {
    name: 'audience',
    label: t.audience,
    hint: t.audienceHint(issuer),
    value: draft.audience,
    isName: true,
    isOptional: true,
    lengthMax: lengths.audience,
    error: problems.fields.audience,
  })
  const signIn = checkbox({ name: 'signIn', label: t.signIn, hint: t.signInHint, isOn: draft.signsIn })
  const tokens = checkbox({ name: 'tokens', label: t.tokens, hint: t.tokensHint, isOn: draft.acceptsTokens })
  const claim = (name: 'username' | 'email' | 'externalId') =>
    text(drawn, name, { isName: true, isOptional: true, hint: t[`${name}Hint`] })
  const scopes = text(drawn, 'scopes', { hint: t.scopesHint, isName: true })
  return html`<details${isOpen && html` open`}><summary>${t.more}</summary><div class="stack">${signIn}${scopes}${claim('username')}${claim('email')}${claim('externalId')}${tokens}${audience}</div></details>`
}
