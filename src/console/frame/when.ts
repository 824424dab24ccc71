import { dateFormat } from '../../memory/formats.ts'
import { type Html, html } from '../../pages/html.ts'
import { moment } from '../../pages/moment-text.ts'
import type { SignedInContext } from '../../pages/session/signed-in-endpoint.ts'

/** Returns a moment in the time zone of the organisation, which it names, with the moment for machines. */
export function when({ me, language }: Pick<SignedInContext, 'me' | 'language'>, text: string): Html {
  return moment(text, language, me.organisation.timeZone)
}

/** Returns the day of a moment in the time zone of the organisation. */
export function day(frame: Pick<SignedInContext, 'me' | 'language'>, text: string): Html {
  return html`<time datetime="${text}">${dayText(frame, text)}</time>`
}

/** As {@link day}, for the text of a choice. */
export function dayText({ me, language }: Pick<SignedInContext, 'me' | 'language'>, text: string): string {
  const { timeZone } = me.organisation
  return dateFormat(language, { dateStyle: 'medium', timeZone }).format(new Date(text))
}
