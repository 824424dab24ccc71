import { apart } from './foreign-text.ts'
import { type Html, html } from './html.ts'
import type { PageTexts } from './messages/page-texts.ts'

/** One input of a form with its label. A secret is never filled in again. */
export type Field = {
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'email' | 'password' | 'hidden' | 'number' | 'date' | 'color' | 'url' | 'search'
  /** @see [HTML, autofill](https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill) */
  readonly autocomplete?: string
  readonly hint?: string
  /** What is wrong and what to enter instead. */
  readonly error?: string | undefined
  readonly value?: string
  readonly isOptional?: boolean
  /** Of a filter: empty it filters nothing, which every reader of a list knows. */
  readonly isFilter?: boolean
  /** Names, not prose: no capitals, no corrections. */
  readonly isName?: boolean
  readonly lengthMax?: number
}

/** What a form needs from its page. */
export type FormFrame = { readonly texts: PageTexts; readonly csrf: (action: string) => string }

/** Name of the member that carries the token against forged forms. */
export const CSRF_FIELD = 'csrf'

/** A form that posts to an address of this server. The token in it fits this address only. */
export function form(frame: FormFrame, action: string, content: Html): Html {
  return posting(frame, action, content, html``)
}

/** As {@link form}, for a form with a file. */
export function fileForm(frame: FormFrame, action: string, content: Html): Html {
  return posting(frame, action, content, html` enctype="multipart/form-data"`)
}

function posting(frame: FormFrame, action: string, content: Html, encoding: Html): Html {
  return html`<form method="post" action="${action}"${encoding} novalidate>
    <input type="hidden" name="${CSRF_FIELD}" value="${frame.csrf(action)}">
    ${content}
  </form>`
}

/** Returns a field: label, hint, error, input. The input names hint and error as its description. */
export function field({ texts }: FormFrame, one: Field): Html {
  const { name, label, type = 'text', hint, error, isOptional } = one
  const described = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`].filter(Boolean)
  const optional = isOptional && html` <span>(${texts.optional})</span>`
  const describedBy = described.length > 0 && html` aria-describedby="${described.join(' ')}"`
  const invalid = error !== undefined && html` aria-invalid="true"`
  return html`<div class="field${error !== undefined && ' wrong'}">
    <label for="${name}">${apart(label)}${optional}</label>
    ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
    ${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}
    <input id="${name}" name="${name}" type="${type}"${describedBy}${invalid}${attributesOf(one)}>
  </div>`
}

function attributesOf({
  type = 'text',
  lengthMax = 254,
  autocomplete,
  value,
  isName,
  isOptional,
  isFilter,
}: Field): Html {
  const keepsValue = type !== 'password' && value !== undefined
  const isText = !['date', 'color', 'number', 'hidden'].includes(type)
  const limit = isText && html` maxlength="${lengthMax}"`
  const completion = autocomplete !== undefined && html` autocomplete="${autocomplete}"`
  const asName = isName && html` autocapitalize="none" spellcheck="false"`
  const filled = keepsValue && html` value="${value}"`
  const required = !isOptional && !isFilter && type !== 'color' && html` required`
  return html`${limit}${completion}${asName}${filled}${required}`
}

/**
 * Returns the list of what is wrong with a form, with a link to each field; empty if nothing is. It takes the focus
 * when the page opens.
 *
 * @see [GOV.UK Design System, error summary](https://design-system.service.gov.uk/components/error-summary/)
 */
export function errorSummary({ texts }: FormFrame, fields: readonly Field[], general?: string): Html {
  const wrong = fields.filter(({ error }) => error !== undefined)
  if (wrong.length === 0 && general === undefined) return html``
  const links = wrong.map(({ name, error }) => html`<li><a href="#${name}">${error}</a></li>`)
  return html`<div class="message bad" role="alert" tabindex="-1" autofocus>
    <h2>${texts.problems}</h2>
    ${general !== undefined && html`<p>${general}</p>`}
    ${wrong.length > 0 && html`<ul>${links}</ul>`}
  </div>`
}
