import { hidden, select } from '../../pages/controls.ts'
import { field, form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceField } from '../../pages/once.ts'
import { button, buttonLink, card } from '../../pages/parts.ts'
import { hasProblems, type Problems, problemList } from '../frame/form-values.ts'
import type { Frame, Screen } from '../frame/screen.ts'
import { type Choosable, credentialFields } from './credential-fields.ts'
import { CREDENTIALS_MAX, type RequestDraft } from './draft.ts'
import { keepChoices } from './keep-choices.ts'
import { previewOf } from './preview.ts'
import type { Source } from './sources.ts'
import { requestTexts } from './texts.ts'

/** What the designer shows. */
type DesignerProps = {
  readonly draft: RequestDraft
  readonly action: string
  readonly problems: Problems
  /** What can be asked for besides. */
  readonly sources: readonly Source[]
  readonly entities: readonly Choosable[]
  readonly above?: Html | undefined
}

/** The screen on which a request is made or changed. */
export function designer(frame: Frame, props: DesignerProps): Screen {
  const { draft, action, problems, sources, above } = props
  const t = requestTexts[frame.language]
  const several = draft.credentials.length > 1
  const credentials = draft.credentials.map((one, at) => {
    const heading = several
      ? `${t.credential(at + 1)}${frame.t.colon}${one.name || one.type}`
      : one.name || t.attributes
    return card(credentialFields({ ...props, frame }, one, at), heading)
  })
  const content = html`${hidden('etag', draft.etag)}${hidden('credentials', String(draft.credentials.length))}${onceField(frame.fields)}
<button type="submit" name="do" value="save" hidden>${frame.t.save}</button>
${card(basics(frame, draft, problems))}${credentials}
${card(html`${several && whichField(frame, draft)}${draft.credentials.length < CREDENTIALS_MAX && moreFields(frame, sources)}`, t.more)}
<div class="buttons narrow">${button(frame.t.save, { look: 'main', name: 'do', value: 'save' })}${button(t.redraw, { name: 'do', value: 'preview' })}${buttonLink(frame.t.cancel, '/console/requests')}</div>`
  return {
    title: t.newRequest,
    crumbs: [[t.title, '/console/requests'], [t.newRequest]],
    main: html`${problemList(frame.texts.problems, problems)}${above}
<div class="beside"><fragment-form target="preview" submit="do=preview">${form(frame, action, content)}</fragment-form>
<aside class="stack" aria-label="${t.preview}"><p class="hint">${t.preview}</p><div id="preview">${previewOf(frame, draft)}</div></aside></div>`,
    modules: ['fragments'],
    hasErrors: hasProblems(problems),
  }
}

function basics(frame: Frame, draft: RequestDraft, { fields }: Problems): Html {
  const t = requestTexts[frame.language]
  const name = { name: 'name', label: t.name, hint: t.nameHint, value: draft.name, lengthMax: 200, error: fields.name }
  const purpose = field(frame, {
    ...{ name: 'purpose', label: t.purpose, hint: t.purposeHint, value: draft.purpose, isOptional: true },
    ...{ lengthMax: 300, error: fields.purpose },
  })
  const choices = keepChoices(draft.keep, t)
  return html`${field(frame, name)}${purpose}${select(frame, { name: 'keep', label: t.keep, value: draft.keep, choices, error: fields.keep })}`
}

function whichField(frame: Frame, { which }: RequestDraft): Html {
  const t = requestTexts[frame.language]
  const shown = Object.entries(t.whiches).filter(([value]) => value !== 'kept' || which === 'kept')
  const choices = shown.map(([value, text]) => ({ value, text }))
  return select(frame, { name: 'which', label: t.which, value: which, choices })
}

function moreFields(frame: Frame, sources: readonly Source[]): Html {
  const t = requestTexts[frame.language]
  const choices = [...sources.map(({ value, text }) => ({ value, text })), { value: 'hand', text: t.moreByHand }]
  return html`${select(frame, { name: 'more', label: t.moreWhat, value: '', choices })}<div>${button(t.more, { name: 'do', value: 'more' })}</div>`
}
