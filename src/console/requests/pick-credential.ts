import { choicesIn, select } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { button, buttonLink, card } from '../../pages/parts.ts'
import { type Choices, searchField } from '../frame/chooser.ts'
import type { Frame } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import type { RequestSources } from './sources.ts'
import { requestTexts } from './texts.ts'

const NEW = '/console/requests/new'

/** Returns the lists to choose a credential of: that comes first, because its attributes are chosen next. */
export function pickCredential(frame: Frame, { own, others }: RequestSources): Html {
  const t = requestTexts[frame.language]
  const chooser = ({ rows }: Choices, isOwn: boolean, label: string) => {
    const id = isOwn ? 'template' : 'other'
    if (rows.length === 0) return null
    const options = rows.map(({ id: value, name }) => html`<option value="${value}">${name}</option>`)
    return card(html`<form method="get" action="${NEW}">
      <div class="field">
        <label for="${id}">${label}</label>
        <select id="${id}" name="template">${options}</select>
      </div>
      <div>${button(t.pick, isOwn ? { look: 'main' } : {})}</div>
    </form>`)
  }
  const none = html`<div class="empty">
    <p>${t.noTemplates}</p>
    ${may(frame, 'issuance:write') && buttonLink(t.makeTemplate, '/console/templates')}
  </div>`
  const both = { ...own, isCut: own.isCut || others.isCut, isNone: own.isNone && others.isNone }
  const finder = searchField(frame, 'more', both)
  const search = finder && card(html`<form method="get" action="${NEW}">${finder}</form>`)
  const formats = choicesIn(t.formats)
  const byHand = html`<details class="panel">
    <summary>${t.byHand}</summary>
    <form class="inside" method="get" action="${NEW}">
      ${field(frame, { name: 'type', label: t.typeAddress, isName: true, lengthMax: 256 })}
      ${select(frame, { name: 'format', label: t.format, value: 'sd-jwt-vc', choices: formats })}
      <div>${button(t.pick)}</div>
    </form>
  </details>`
  return html`${chooser(own, true, t.own) ?? (search === null && none)}
${chooser(others, false, t.others)}
${search}
${byHand}`
}
