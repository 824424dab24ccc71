import { apart } from './foreign-text.ts'
import type { FormFrame } from './form.ts'
import { type Html, html } from './html.ts'

/** One choice of a list. */
export type Choice = { readonly value: string; readonly text: string }

/** Returns the choices of a table of texts by value. */
export function choicesIn(texts: Readonly<Record<string, string>>): readonly Choice[] {
  return Object.entries(texts).map(([value, text]) => ({ value, text }))
}

type Labelled = {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly error?: string | undefined
}
type Chosen = Labelled & { readonly value: string; readonly isOptional?: boolean }

/** Returns a list to choose one of. */
export function select(frame: FormFrame, one: Chosen & { readonly choices: readonly Choice[] }): Html {
  const options = one.choices.map(
    ({ value, text }) => html`<option value="${value}"${value === one.value && html` selected`}>${text}</option>`,
  )
  return labelled(frame, one, html`<select id="${one.name}" name="${one.name}"${described(one)}>${options}</select>`)
}

/** Returns the field of a search, by the name of its member of the address. */
export function searchInput(name: string, label: string, value = ''): Html {
  const input = html`<input id="${name}" name="${name}" type="search" maxlength="200" value="${value}">`
  return html`<div class="field"><label for="${name}">${label}</label>${input}</div>`
}

/** Returns a field of several lines. `isCode`: what is typed is for machines. */
export function textArea(
  frame: FormFrame,
  one: Chosen & { readonly rows?: number; readonly lengthMax?: number; readonly isCode?: boolean },
): Html {
  const code = one.isCode && html` class="code" spellcheck="false"`
  const area = html`<textarea id="${one.name}" name="${one.name}"
    rows="${one.rows ?? 3}" maxlength="${one.lengthMax ?? 2000}"${code}${described(one)}>${one.value}</textarea>`
  return labelled(frame, one, area)
}

/** Returns a box to tick; its member is `1` or absent. */
export function checkbox({
  name,
  label,
  hint,
  error,
  isOn,
  value = '1',
  id = name,
}: Labelled & { isOn: boolean; value?: string; id?: string }): Html {
  const about = described({ name: id, hint, error })
  return html`<div class="tick">
    <input type="checkbox" id="${id}" name="${name}" value="${value}"${isOn && html` checked`}${about}>
    <div>
      <label for="${id}">${label}</label>
      ${error !== undefined && html`<p class="error" id="${id}-error">${error}</p>`}
      ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    </div>
  </div>`
}

/** Returns boxes of the member `name[]`, each with its value. What is wrong with them links to them all. */
export function checkboxes(
  name: string,
  legend: string,
  choices: readonly (Choice & { readonly hint?: string })[],
  on: readonly string[],
  { hint, error }: Pick<Labelled, 'hint' | 'error'> = {},
): Html {
  const boxes = choices.map(({ value, text, ...more }) =>
    checkbox({
      name: `${name}[]`,
      label: text,
      isOn: on.includes(value),
      value,
      id: `${name}-${value.replaceAll(/[^\w-]/g, '-')}`,
      ...more,
    }),
  )
  const wrong = error !== undefined && html` id="${name}" tabindex="-1"`
  const why = error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`
  const about = hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`
  return html`<fieldset class="ticks"${wrong}${describedBy({ name, hint, error })}>
    <legend>${legend}</legend>
    ${about}${why}${boxes}
  </fieldset>`
}

/** Returns a field for a file. Its form is made by `fileForm`. @param accept Kinds of files, as in HTML. */
export function fileField(
  frame: FormFrame,
  one: Labelled & { readonly accept: string; readonly isOptional?: boolean },
): Html {
  return labelled(
    frame,
    one,
    html`<input id="${one.name}" name="${one.name}" type="file" accept="${one.accept}"${described(one)}>`,
  )
}

/** Returns a hidden member. */
export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`
}

function labelled(
  { texts }: FormFrame,
  { name, label, hint, error, isOptional }: Labelled & { isOptional?: boolean },
  control: Html,
): Html {
  const optional = isOptional && html` <span>(${texts.optional})</span>`
  return html`<div class="field${error !== undefined && ' wrong'}">
    <label for="${name}">${apart(label)}${optional}</label>
    ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
    ${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}
    ${control}
  </div>`
}

type Told = Pick<Labelled, 'name' | 'error'> & { readonly hint?: string | undefined }

function described(one: Told): Html {
  return html`${describedBy(one)}${one.error !== undefined && html` aria-invalid="true"`}`
}

function describedBy({ name, hint, error }: Told): Html | null {
  const ids = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`].filter(Boolean)
  return ids.length === 0 ? null : html` aria-describedby="${ids.join(' ')}"`
}
