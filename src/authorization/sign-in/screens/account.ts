import type { Role } from '../../../caller.ts'
import type { ShownNames } from '../../../directory/users/sign-in-user.ts'
import type { Impersonation } from '../../../events/audit/recent-impersonations.ts'
import type { Page } from '../../../pages/document.ts'
import { errorSummary, type Field, field, form } from '../../../pages/form.ts'
import { type Html, html } from '../../../pages/html.ts'
import { ago } from '../../../pages/moment.ts'
import { button, buttonLink, card, confirmed, facts, message, rows } from '../../../pages/parts.ts'
import type { PasskeyView } from '../passkeys/passkey-store.ts'
import type { ConnectableProvider } from '../providers/sign-in-by-provider.ts'
import type { SessionView } from '../session.ts'
import { browserName } from './browser-name.ts'
import { type ScreenFrame, textsOf } from './frame.ts'
import { newPasswordFields, type PasswordProblem, withUsername } from './new-password.ts'
import { type PasskeyOffer, passkeyForm } from './passkey-form.ts'
import type { SignInTexts } from './texts.ts'

/** A change that the account page confirms. */
export type Done = keyof SignInTexts['account']['done']

/** What a person sees about their own account. */
export type AccountProps = {
  readonly now: Date
  readonly name: string | null
  readonly username: string
  readonly email: string | null
  /** Names of which one was changed by a caller of the API: the person is asked to confirm them. */
  readonly newNames?: ShownNames | null
  readonly organisation: string
  readonly roles: readonly Role[]
  readonly passkeys: readonly PasskeyView[]
  /** Offer for one more passkey; null: the sign-in is too long ago. */
  readonly addition: PasskeyOffer | null
  /** Where the person signs in once more. */
  readonly againHref: string
  readonly sessions: readonly Pick<SessionView, 'sessionId' | 'userAgent' | 'network' | 'lastSeenAt' | 'isCurrent'>[]
  /** External providers of the organisation. */
  readonly providers?: readonly ConnectableProvider[]
  /** When callers came to act for the person. */
  readonly impersonations?: readonly Impersonation[]
  readonly done?: Done | undefined
  readonly problem?: string | undefined
}

/** The account: who is signed in, passkeys, sessions. */
export function accountScreen(frame: ScreenFrame, props: AccountProps): Page {
  const { account } = textsOf(frame)
  const { name, username, organisation, email, done, problem } = props
  const about = facts([
    ...(name === null ? [] : [[account.name, name] as const]),
    [account.username, username],
    ...(email === null ? [] : [[account.email, email] as const]),
    [account.organisation, organisation],
    [account.roles, props.roles.map((one) => frame.texts.roles[one]).join(', ') || account.noRole],
  ])
  // Who has no role has the own cards only.
  const isAtWork = props.roles.some((role) => role !== 'holder')
  const toCards = buttonLink(account.toCards, '/me', isAtWork ? 'plain' : 'main')
  const doors = html`${isAtWork && buttonLink(account.toConsole, '/console', 'main')}${toCards}`
  const signOut = form(frame, '/sign-out', button(account.signOut))
  const everywhere = form(
    frame,
    '/account/sign-out-everywhere',
    confirmed(frame.texts, account.everywhereAsk, button(account.signOutEverywhere, { look: 'danger' })),
  )
  return {
    title: account.title,
    organisation,
    isWide: true,
    hasErrors: problem !== undefined,
    modules: ['sign-passkey', 'confirm-button'],
    main: html`${done !== undefined && message('done', account.done[done])}${errorSummary(frame, [], problem)}
    <div class="buttons">${doors}</div>
    ${newNamesOf(frame, props)}${card(about)}${card(passkeysOf(frame, props), account.passkeys)}
    ${card(html`<p>${buttonLink(account.changePassword, '/account/password')}</p>`, account.password)}
    ${connectionsOf(frame, props)}${impersonationsOf(frame, props)}
    ${card(sessionsOf(frame, props), account.sessions)}
    <div class="buttons">${signOut}${everywhere}</div>`,
  }
}

function newNamesOf(frame: ScreenFrame, { newNames = null }: AccountProps): Html | false {
  if (newNames === null) return false
  const { account } = textsOf(frame)
  const shown = Object.entries(newNames).filter(([, value]) => value !== null)
  const hidden = shown.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  const names = facts([
    [account.username, newNames.username],
    ...(newNames.email === null ? [] : [[account.email, newNames.email] as const]),
    ...(newNames.externalIdentifier === null ? [] : [[account.identifier, newNames.externalIdentifier] as const]),
  ])
  const confirm = form(frame, '/account/names', html`${hidden}${button(account.confirmNames)}`)
  return message('warn', account.newNames, html`${names}${confirm}`)
}

function connectionsOf(frame: ScreenFrame, { providers = [] }: AccountProps): Html | false {
  if (providers.length === 0) return false
  const { account } = textsOf(frame)
  const items = providers.map(({ name, displayName, isConnected }) => {
    const connect = form(frame, `/account/providers/${encodeURIComponent(name)}`, button(account.connect))
    return {
      title: displayName,
      about: html`${isConnected ? account.connected : account.notConnected}`,
      ...(!isConnected && { action: connect }),
    }
  })
  return card(rows(account.providers, items), account.providers)
}

function impersonationsOf(frame: ScreenFrame, { impersonations = [], now }: AccountProps): Html | false {
  if (impersonations.length === 0) return false
  const { account } = textsOf(frame)
  const texts = [
    [/_link$/, account.byLink],
    [/^provider_/, account.byProvider],
    [/^token_of_/, account.byToken],
  ] as const
  const items = impersonations.map(({ at, way, actorId }) => {
    const [, told = account.byClient] = texts.find(([pattern]) => pattern.test(way)) ?? []
    return { title: told(actorId ?? account.operator), about: html`${ago(at, now, frame.language, (when) => when)}` }
  })
  return card(rows(account.impersonations, items), account.impersonations)
}

function passkeysOf(frame: ScreenFrame, { passkeys, addition, againHref, now }: AccountProps): Html {
  const texts = textsOf(frame)
  const { account } = texts
  const items = passkeys.map(({ id, name, createdAt, lastUsedAt }) => {
    const made = ago(createdAt, now, frame.language, account.made)
    const used = lastUsedAt === null ? account.neverUsed : ago(lastUsedAt, now, frame.language, account.used)
    const path = `/account/passkeys/${encodeURIComponent(id)}`
    const remove = confirmed(frame.texts, account.removeAsk(name), button(account.remove, { look: 'danger' }))
    return {
      title: name,
      about: html`${made} · ${used}`,
      action: html`<div class="actions">
        ${buttonLink(account.rename, `${path}/rename`)}
        ${form(frame, `${path}/remove`, remove)}
      </div>`,
    }
  })
  const add =
    addition === null
      ? html`<p>${account.confirmFirst}</p><p>${buttonLink(account.confirm, againHref)}</p>`
      : passkeyForm(frame, {
          offer: addition,
          action: '/account/passkeys',
          kind: 'create',
          label: account.addPasskey,
          failed: texts.passkeyAddFailed,
          fields: field(frame, nameField(texts, account.passkeyPreset)),
        })
  const list = items.length === 0 ? html`<p>${account.noPasskeys}</p>` : rows(account.passkeys, items)
  return html`${list}${add}`
}

function nameField({ account }: SignInTexts, value: string, error?: string): Field {
  const field = { name: 'name', label: account.passkeyName, hint: account.passkeyNameHint, value, lengthMax: 100 }
  return { ...field, error }
}

function sessionsOf(frame: ScreenFrame, { sessions, now }: AccountProps): Html {
  const { account } = textsOf(frame)
  const items = sessions.map(({ sessionId, userAgent, network, lastSeenAt, isCurrent }) => {
    const path = `/account/sessions/${encodeURIComponent(sessionId)}/end`
    const seen = isCurrent ? account.thisBrowser : ago(lastSeenAt, now, frame.language, account.seen)
    // A browser on the machine of the server has no network.
    const from = network !== '' && html` · ${account.from(network)}`
    return {
      title: browserName(userAgent) ?? account.unknownBrowser,
      about: html`${seen}${from}`,
      ...(!isCurrent && { action: form(frame, path, button(account.end)) }),
    }
  })
  return rows(account.sessions, items)
}

/** Renames a passkey. */
export function renameScreen(
  frame: ScreenFrame,
  props: { readonly id: string; readonly name: string; readonly isMissing: boolean; readonly organisation: string },
): Page {
  const texts = textsOf(frame)
  const name = nameField(texts, props.name, props.isMissing ? texts.wrong.passkeyName : undefined)
  const path = `/account/passkeys/${encodeURIComponent(props.id)}/rename`
  const content = html`${field(frame, name)}${buttonsToAccount(texts, texts.account.save)}`
  return {
    title: texts.account.renameTitle,
    organisation: props.organisation,
    hasErrors: props.isMissing,
    main: html`${errorSummary(frame, [name])}${card(form(frame, path, content))}`,
  }
}

/** Changes the password of a signed-in person. @param props `hasPassword`: the current one is asked for. */
export function changePasswordScreen(
  frame: ScreenFrame,
  props: {
    readonly username: string
    readonly organisation: string
    readonly hasPassword: boolean
    readonly password: PasswordProblem | null
    readonly isCurrentWrong: boolean
    readonly problem?: string | undefined
  },
): Page {
  const texts = textsOf(frame)
  const current: Field = {
    name: 'current',
    label: texts.account.currentPassword,
    type: 'password',
    autocomplete: 'current-password',
    lengthMax: 800,
    error: props.isCurrentWrong ? texts.wrong.passwordCurrent : undefined,
  }
  const fields = [...(props.hasPassword ? [current] : []), ...newPasswordFields(texts, props.password)]
  const content = html`${withUsername(frame, props.username, fields)}
  ${buttonsToAccount(texts, texts.account.changePassword)}`
  return {
    title: texts.account.passwordTitle,
    organisation: props.organisation,
    hasErrors: props.isCurrentWrong || props.password !== null || props.problem !== undefined,
    main: html`${errorSummary(frame, fields, props.problem)}${card(form(frame, '/account/password', content))}`,
  }
}

function buttonsToAccount(texts: SignInTexts, save: string): Html {
  return html`<div class="buttons">${button(save, { look: 'main' })}${buttonLink(texts.back, '/account')}</div>`
}
