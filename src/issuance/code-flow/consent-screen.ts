import type { Language } from '../../contract/languages.ts'
import type { Page } from '../../pages/document.ts'
import { type FormFrame, form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { button, buttonLink, card, facts, message } from '../../pages/parts.ts'
import type { RequestedCredential } from './requested-credential.ts'
import { shownAttributes } from './shown-attributes.ts'
import { type ConsentTexts, consentTexts } from './texts.ts'

/** Which credential goes to which wallet. */
type ConsentProps = {
  readonly action: string
  /** Comes back with the answer, so that what is agreed to is what was shown. */
  readonly shown: string
  readonly target: RequestedCredential
  /** Where the user signs in at an identity provider instead. */
  readonly signIn: string
  /** Name of the wallet; an unregistered one chose it. */
  readonly wallet: string
  readonly isUnregistered: boolean
  readonly redirectUri: string
  readonly username: string
  readonly organisation: string
}

/** Asks whether a credential may be issued to a wallet. Both answers are equally easy; the form posts `answer`. */
export function credentialConsentScreen(frame: FormFrame & { readonly language: Language }, props: ConsentProps): Page {
  const words = consentTexts[frame.language]
  const { target, organisation, username } = props
  const { definition, name } = target.issued
  const credential = definition.display?.name ?? name
  const about = definition.display?.description ?? definition.description
  const allow = target.lacksClaims
    ? buttonLink(words.signInElsewhere, props.signIn)
    : button(words.allow, { look: 'main', name: 'answer', value: 'allow' })
  const answers = html`<input type="hidden" name="shown" value="${props.shown}">
  <div class="buttons">
    ${allow}
    ${button(words.deny, { name: 'answer', value: 'deny' })}
  </div>`
  const wallet = facts([
    [words.issuer, organisation],
    [words.wallet, destination(words, props)],
  ])
  return {
    title: words.title(credential),
    organisation,
    main: html`<div class="stack">
      <p>${words.as(username, organisation)}</p>
      ${about !== undefined && html`<p>${about}</p>`}
      ${props.isUnregistered && message('warn', words.notRegistered(organisation))}
      ${target.lacksClaims && message('warn', words.lacksClaims(organisation))}
    </div>
    ${card(wallet)}
    ${contentOf(frame, target, organisation)}
    ${form(frame, props.action, answers)}`,
  }
}

/** A registered wallet by its name; any other by where the browser goes, which it cannot make up. */
function destination(words: ConsentTexts, { wallet, isUnregistered, redirectUri }: ConsentProps): string {
  const { protocol, host } = new URL(redirectUri)
  const place =
    protocol === 'https:' ? words.website(host) : protocol === 'http:' ? words.local : words.app(protocol.slice(0, -1))
  return isUnregistered ? place : `${wallet}: ${place}`
}

function contentOf(
  { language }: { readonly language: Language },
  { issued, issuance, ...target }: RequestedCredential,
  organisation: string,
): Html {
  const words = consentTexts[language]
  const claims = issuance?.claims ?? target.attributes
  const attributes = shownAttributes(issued.definition, claims, { ...words, language })
  if (claims !== null) return card(facts(attributes), words.content)
  const names = attributes.map(([name]) => html`<li>${name}</li>`)
  const later = target.lacksClaims ? words.contentOfProvider : words.contentLater(organisation)
  return card(html`<p>${later}</p><ul class="list">${names}</ul>`, words.content)
}
