import { dateFormat } from '../../memory/formats.ts'
import { type Html, html } from '../../pages/html.ts'
import type { SignedInContext } from '../../pages/session/signed-in-endpoint.ts'

/** Returns a moment in the time zone of the organisation, which it names, with the moment for machines. */
export function when({ me, language }: Pick<SignedInContext, 'me' | 'language'>, text: string): Html {
  const parts = { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const
  const { timeZone } = me.organisation
  const format = dateFormat(language, { ...parts, timeZone, timeZoneName: 'short' })
  return html`<time datetime="${text}">${format.format(new Date(text))}</time>`
}

/** Returns the day of a moment in the time zone of the organisation. */
export function day({ me, language }: Pick<SignedInContext, 'me' | 'language'>, text: string): Html {
  const { timeZone } = me.organisation
  const format = dateFormat(language, { dateStyle: 'medium', timeZone })
  return html`<time datetime="${text}">${format.format(new Date(text))}</time>`
}
