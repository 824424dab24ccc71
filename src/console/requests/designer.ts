import { choicesIn, hidden, select, textArea } from '../../pages/controls.ts'
import { type Html, html } from '../../pages/html.ts'
import { button, card } from '../../pages/parts.ts'
import { type Choices, chooser } from '../frame/chooser.ts'
import type { Problems } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { credentialFields } from './credential-fields.ts'
import { CREDENTIALS_MAX, type RequestDraft } from './draft.ts'
import { requestFields } from './fields.ts'
import type { RequestSources } from './sources.ts'
import { requestTexts } from './texts.ts'
import { verifierFields } from './verifier-fields.ts'
import { verifierTexts } from './verifier-texts.ts'

/** What a request is made from: what can be asked for besides, and whom to trust. */
type Choosable = { readonly sources: Pick<RequestSources, 'own' | 'others'>; readonly entities: Choices }

/** Returns the fields of a request. */
export function requestCards(
  frame: Frame,
  draft: RequestDraft,
  problems: Problems,
  { sources, entities }: Choosable,
): Html {
  const t = requestTexts[frame.language]
  const several = draft.credentials.length > 1
  const credentials = draft.credentials.map((one, at) => {
    const heading = several
      ? `${t.credential(at + 1)}${frame.t.colon}${one.name || one.type}`
      : one.name || t.attributes
    return card(credentialFields({ frame, draft, problems, entities }, one, at), heading)
  })
  const which = several && whichField(frame, draft, problems)
  const more = draft.credentials.length < CREDENTIALS_MAX && moreFields(frame, sources)
  return html`${hidden('credentials', String(draft.credentials.length))}
  ${card(basics(frame, draft, problems))}
  ${credentials}
  ${card(html`${which}${more}`, t.more)}`
}

function basics(frame: Frame, draft: RequestDraft, problems: Problems): Html {
  const one = (name: 'name' | 'about' | 'purpose' | 'keep' | 'expires') =>
    requestFields.field(frame, draft.plain, problems, name)
  return html`${one('name')}${one('about')}${one('purpose')}
  <div class="pair">${one('keep')}${one('expires')}</div>
  ${verifierFields(frame, draft, problems)}`
}

/** The style sheet hides the combinations where they are not chosen. */
function whichField(frame: Frame, { which, sets }: RequestDraft, { fields }: Problems): Html {
  const [t, v] = [requestTexts[frame.language], verifierTexts[frame.language]]
  const choices = choicesIn(t.whiches)
  const area = textArea(frame, {
    name: 'sets',
    label: v.sets,
    hint: v.setsHint,
    value: sets,
    isCode: true,
    rows: 2,
    lengthMax: 2000,
    error: fields.sets,
  })
  return html`<div class="which">
    ${select(frame, { name: 'which', label: t.which, value: which, choices, error: fields.which })}
    <div class="sets">${area}</div>
  </div>`
}

function moreFields(frame: Frame, { own, others }: Pick<RequestSources, 'own' | 'others'>): Html {
  const t = requestTexts[frame.language]
  const both = {
    rows: [...own.rows, ...others.rows],
    search: own.search || others.search,
    isCut: own.isCut || others.isCut,
    isNone: own.isNone && others.isNone,
  }
  const last = [{ value: 'hand', text: t.moreByHand }]
  return html`${chooser(frame, { name: 'more', label: t.moreWhat, value: '', last }, both)}
  <div>${button(t.more, { name: 'do', value: 'more' })}</div>`
}
