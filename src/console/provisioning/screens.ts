import type { ReplyOf } from '../../contract/api-operation.ts'
import { scimTokens } from '../../contract/directory/scim-tokens.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { foreign, shownText } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { buttonLink, card, facts, message } from '../../pages/parts.ts'
import { badge } from '../../pages/table.ts'
import { applicationPath as applicationAt } from '../applications/application.ts'
import { copied } from '../frame/copied.ts'
import type { Frame, Screen } from '../frame/screen.ts'
import { when } from '../frame/when.ts'
import { resource } from '../resource/resource.ts'
import { provisioningTexts } from './texts.ts'
import { readApplications, tokenForm, tokenName } from './token.ts'

const LIST = '/console/directory-sync'

/** A token, as the API shows it. */
type Token = ReplyOf<typeof scimTokens.get>

/** Tokens by which identity systems keep the directory. */
export const provisioningScreens: readonly Endpoint[] = resource({
  noun: scimTokens,
  place: 'provisioning',
  path: LIST,
  texts: provisioningTexts,
  called: { one: 'a token of an identity system', many: 'the tokens of identity systems' },
  name: { label: 'name', of: ({ name }) => name },
  columns: async (frame) => {
    const { all } = await readApplications(frame)
    const names = new Map(all.map((one) => [one.clientId, tokenName(one)]))
    return {
      clientId: (one) =>
        html`<a href="${applicationAt(one)}"><bdi>${names.get(one.clientId) ?? shownText(one.clientId)}</bdi></a>`,
      used: ({ lastUsedAt }, { language }) =>
        lastUsedAt === null ? provisioningTexts[language].never : when(frame, lastUsedAt),
      ends: endOf,
      token: removeLink,
    }
  },
  hasNoPage: true,
  above: addressPanel,
  facts: {},
  form: async (frame) => tokenForm(await readApplications(frame)),
  told: tokenTold,
})

function endOf({ expiresAt }: Token, frame: Frame): Html | string {
  const t = provisioningTexts[frame.language]
  if (expiresAt === null) return t.noEnd
  const isOver = Date.parse(expiresAt) <= frame.now.getTime()
  return html`${when(frame, expiresAt)} ${isOver && badge(t.ended, 'warn')}`
}

function removeLink({ id, name }: Token, { language }: Frame): Html {
  const t = provisioningTexts[language]
  return html`<a href="${LIST}/${id}/delete" aria-label="${t.removeOf(shownText(name, 80))}">${t.remove}</a>`
}

function addressPanel(frame: Frame): Html {
  const t = provisioningTexts[frame.language]
  const inside = html`<div class="inside"><p>${t.addressText}</p>${copied(frame, addressOf(frame))}</div>`
  return html`<section class="panel narrow"><header><h2>${t.addressTitle}</h2></header>${inside}</section>`
}

/** The address at which the server answers SCIM. */
function addressOf({ origin }: Frame): string {
  return `${origin}/onboarding/scim/v2`
}

/** The only page that has the token, with the address that belongs to it. */
function tokenTold(frame: Frame, { name, token }: ReplyOf<typeof scimTokens.create>): Screen {
  const t = provisioningTexts[frame.language]
  const secret = card(html`${facts([[t.name, foreign(name)]])}${copied(frame, token)}`)
  const told = html`${message('note', t.tokenText)}${secret}${card(copied(frame, addressOf(frame)), t.addressTitle)}`
  return {
    title: t.token,
    crumbs: [[t.title, LIST], [t.token]],
    main: html`<div class="narrow stack">${told}<p>${buttonLink(frame.t.back, LIST)}</p></div>`,
    modules: ['copy-text'],
  }
}
