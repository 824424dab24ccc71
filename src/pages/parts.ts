import { apart } from './foreign-text.ts'
import { type Html, html } from './html.ts'
import type { PageTexts } from './messages/page-texts.ts'

/** Returns a button that submits its form. @param look `main` once a form; `danger` for what cannot be undone. */
export function button(
  text: string,
  { look = 'plain', name, value }: { look?: 'main' | 'plain' | 'danger'; name?: string; value?: string } = {},
): Html {
  const member = name !== undefined && html` name="${name}" value="${value ?? ''}"`
  return html`<button type="submit" class="button ${look}"${member}>${text}</button>`
}

/** Returns a link that looks like a button: for a way to another page, never for a change. */
export function buttonLink(text: string, href: string, look: 'main' | 'plain' = 'plain'): Html {
  return html`<a class="button ${look}" href="${href}">${text}</a>`
}

/** Returns a card: a surface with an optional heading. */
export function card(content: Html, heading?: string): Html {
  return html`<section class="card">${heading !== undefined && html`<h2>${heading}</h2>`}${content}</section>`
}

/** Returns a message. @param kind `done` and `bad` are announced to a screen reader when the page opens. */
export function message(kind: 'note' | 'done' | 'warn' | 'bad', text: string, more?: Html): Html {
  const role = { note: null, warn: null, done: 'status', bad: 'alert' }[kind]
  return html`<div class="message ${kind}"${role !== null && html` role="${role}"`}><p>${text}</p>${more}</div>`
}

/**
 * Returns the end of what the person did, or why it did not happen. It takes the focus and is in no live region, so
 * that a screen reader says it once, after the title of the page. A page has one.
 */
export function outcome(kind: 'note' | 'done' | 'warn' | 'bad', text: string): Html {
  return html`<div class="message outcome ${kind}" tabindex="-1" autofocus><p>${text}</p></div>`
}

/** One row of {@link rows}: what it is, more about it, and what can be done with it. */
type ListRow = { readonly title: Html | string; readonly about?: Html | string; readonly action?: Html }

/** Returns a list of things, each with its action. On a narrow screen the action stands below. */
export function rows(label: string, items: readonly ListRow[]): Html {
  const item = ({ title, about, action }: ListRow) => {
    const more = about !== undefined && html`<span>${apart(about)}</span>`
    return html`<li><div><b>${apart(title)}</b>${more}</div>${action}</li>`
  }
  return html`<ul class="rows" aria-label="${label}">${items.map(item)}</ul>`
}

/** Returns a list of names and values. */
export function facts(pairs: readonly (readonly [name: Html | string, value: Html | string])[]): Html {
  const lines = pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)
  return html`<dl class="facts">${lines}</dl>`
}

/** Wraps a button of a form so that it asks first, where scripts run. The page loads the module `confirm-button`. */
export function confirmed(texts: PageTexts, question: string, content: Html): Html {
  return html`<confirm-button question="${question}" cancel="${texts.cancel}">${content}</confirm-button>`
}

/**
 * The wavy cut by which the parts of a chirograph were divided: parts what leaves from what stays, one way from
 * another.
 */
export function cut(text?: string): Html {
  return html`<div class="cut">${text}</div>`
}
