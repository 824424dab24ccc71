import { choicesIn, hidden, select, textArea } from '../../pages/controls.ts'
import { field, form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceField } from '../../pages/once.ts'
import { button, buttonLink, card } from '../../pages/parts.ts'
import { type Choices, chooser } from '../frame/chooser.ts'
import { hasProblems, type Problems, problemList } from '../frame/form-values.ts'
import type { Frame, Screen } from '../frame/screen.ts'
import { credentialFields } from './credential-fields.ts'
import { CREDENTIALS_MAX, type RequestDraft } from './draft.ts'
import { keepChoices } from './keep-choices.ts'
import { previewOf } from './preview.ts'
import type { RequestSources } from './sources.ts'
import { requestTexts } from './texts.ts'
import { expiryField, verifierFields } from './verifier-fields.ts'
import { verifierTexts } from './verifier-texts.ts'

/** What the designer shows. */
type DesignerProps = {
  readonly draft: RequestDraft
  readonly action: string
  readonly problems: Problems
  /** What can be asked for besides. */
  readonly sources: Pick<RequestSources, 'own' | 'others'>
  readonly entities: Choices
  readonly above?: Html | undefined
}

/** The screen on which a request is made or changed. */
export function requestDesigner(frame: Frame, props: DesignerProps): Screen {
  const { draft, action, problems, sources, above } = props
  const t = requestTexts[frame.language]
  const several = draft.credentials.length > 1
  const credentials = draft.credentials.map((one, at) => {
    const heading = several
      ? `${t.credential(at + 1)}${frame.t.colon}${one.name || one.type}`
      : one.name || t.attributes
    return card(credentialFields({ ...props, frame }, one, at), heading)
  })
  const which = several && whichField(frame, draft, problems)
  const more = draft.credentials.length < CREDENTIALS_MAX && moreFields(frame, sources)
  const content = html`${hidden('etag', draft.etag)}${hidden('credentials', String(draft.credentials.length))}
  ${onceField(frame.fields)}
  <button type="submit" name="do" value="save" hidden>${frame.t.save}</button>
  ${card(basics(frame, draft, problems))}
  ${credentials}
  ${card(html`${which}${more}`, t.more)}
  <div class="buttons narrow">
    ${button(frame.t.save, { look: 'main', name: 'do', value: 'save' })}
    ${button(t.redraw, { name: 'do', value: 'preview' })}
    ${buttonLink(frame.t.cancel, '/console/requests')}
  </div>`
  return {
    title: t.newRequest,
    crumbs: [[t.title, '/console/requests'], [t.newRequest]],
    main: html`${problemList(frame.texts.problems, problems)}${above}
    <div class="beside">
      <fragment-form target="preview" submit="do=preview">${form(frame, action, content)}</fragment-form>
      <aside class="stack" aria-label="${t.preview}">
        <p class="hint">${t.preview}</p>
        <div id="preview">${previewOf(frame, draft)}</div>
      </aside>
    </div>`,
    modules: ['fragments'],
    hasErrors: hasProblems(problems),
  }
}

function basics(frame: Frame, draft: RequestDraft, problems: Problems): Html {
  const [t, v] = [requestTexts[frame.language], verifierTexts[frame.language]]
  const { fields } = problems
  const name = { name: 'name', label: t.name, hint: t.nameHint, value: draft.name, lengthMax: 200, error: fields.name }
  const text = (id: 'about' | 'purpose', label: string, hint: string, lengthMax: number) =>
    field(frame, { name: id, label, hint, value: draft[id], isOptional: true, lengthMax, error: fields[id] })
  const choices = keepChoices(draft.keep, t)
  const keep = select(frame, { name: 'keep', label: t.keep, value: draft.keep, choices, error: fields.keep })
  return html`${field(frame, name)}
  ${text('about', v.about, v.aboutHint, 2000)}
  ${text('purpose', t.purpose, t.purposeHint, 300)}
  <div class="pair">${keep}${expiryField(frame, draft, problems)}</div>
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
