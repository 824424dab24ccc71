import { clients } from '../../contract/directory/clients.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceField, onceHeader } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button, buttonLink, card } from '../../pages/parts.ts'
import { bothVersions } from '../frame/both-versions.ts'
import { hasProblems, noProblems, type Problems, problemList, problemsOf } from '../frame/form-values.ts'
import { type Frame, formScreen, type Screen } from '../frame/screen.ts'
import { type Application, at, crumbs, LIST, place, readTagged, secretTold } from './application.ts'
import { blank, changesOf, type Draft, keysIn, newBody, readDraft, savedDraft } from './draft.ts'
import { applicationFields, GRANTS_AT } from './form-fields.ts'
import { type ApplicationTexts, applicationTexts } from './texts.ts'

const fieldNames: Readonly<Record<string, string>> = {
  name: 'name',
  redirectUris: 'redirects',
  postLogoutRedirectUris: 'signOuts',
  backchannelLogoutUri: 'logout',
  jwks: 'keys',
  jwksUri: 'keysAt',
  grantTypes: GRANTS_AT,
  isPublic: 'keys',
}

function fieldOf(pointer: string): string | null {
  return fieldNames[pointer.split('/')[1] ?? ''] ?? null
}

/** What is missing or cannot be, before the API is asked. */
function checkDraft(draft: Draft, frame: Frame): Problems {
  const t = applicationTexts[frame.language]
  const { name, kind, grants, keys, keysAt, redirects } = draft
  const isApp = kind === 'app'
  const signsIn = grants.length === 0 ? isApp : grants.includes('authorization_code')
  const isForServices = (one: string) => one !== 'authorization_code' && one !== 'refresh_token'
  const hasKeys = keys !== '' || keysAt !== ''
  return {
    fields: {
      ...(name === '' && { name: frame.t.required(t.name) }),
      ...(signsIn && redirects === '' && { redirects: t.redirectNeeded }),
      ...(isApp && grants.some(isForServices) && { [GRANTS_AT]: t.grantsOfApp }),
      ...(grants.includes('refresh_token') && !signsIn && { [GRANTS_AT]: t.refreshAlone }),
      ...(keys !== '' && keysIn(keys) === null && { keys: t.keysWrong }),
      ...(keys !== '' && keysAt !== '' && { keysAt: t.keysTwice }),
      ...(isApp && hasKeys && { [keys === '' ? 'keysAt' : 'keys']: t.keysOfApp }),
    },
  }
}

/** Returns the findings of the API at their fields, in words: its own sentences are English. */
function refusedDraft(error: unknown, frame: Frame, isNew: boolean): Problems {
  const t = applicationTexts[frame.language]
  const { fields, general } = problemsOf(error, fieldOf, frame.t)
  const names = Object.keys(fields)
  // Of an application that exists, what the bootstrap file declares.
  if (!isNew && error instanceof ApiRefusal && error.status === 409) return { fields: {}, general: t.ofFile }
  const texts: Readonly<Record<string, string | undefined>> = {
    name: fields.name,
    keys: t.keysWrong,
    [GRANTS_AT]: t.grantsOfApp,
  }
  const said = names.map((one) => [one, texts[one] ?? t.addressWrong])
  return { fields: Object.fromEntries(said), ...(general !== undefined && { general }) }
}

const create = formScreen({
  place,
  path: `${LIST}/new`,
  summary: 'Adds an application.',
  show: (frame) => newForm(frame, frame.isKept ? readDraft(frame.fields) : blank, noProblems),
  send: async (frame) => {
    const draft = readDraft(frame.fields)
    const problems = checkDraft(draft, frame)
    if (hasProblems(problems)) return newForm(frame, draft, problems)
    try {
      const sent = { body: newBody(draft), headers: onceHeader(frame.fields) }
      const { data } = await frame.api.call(clients.create, sent)
      const { clientId, clientSecret } = data
      return clientSecret === undefined ? { to: at(data) } : secretTold(frame, clientId, clientSecret)
    } catch (error) {
      return newForm(frame, draft, refusedDraft(error, frame, true))
    }
  },
})

function newForm(frame: Frame, draft: Draft, problems: Problems): Screen {
  const t = applicationTexts[frame.language]
  const fields = applicationFields(frame, draft, problems, true)
  const content = html`${onceField(frame.fields)}${card(fields)}<div class="buttons">${button(frame.t.save, { look: 'main' })}${buttonLink(frame.t.cancel, LIST)}</div>`
  return {
    title: t.new,
    crumbs: [[t.title, LIST], [t.new]],
    main: html`<div class="narrow stack">${problemList(frame.texts.problems, problems)}${form(frame, `${LIST}/new`, content)}</div>`,
    hasErrors: hasProblems(problems),
  }
}

const change = formScreen({
  place,
  path: `${LIST}/{id}/change`,
  summary: 'Changes an application.',
  show: async (frame) => {
    const { found, etag } = await readTagged(frame)
    return changeForm(frame, found, frame.isKept ? readDraft(frame.fields) : savedDraft(found, etag), noProblems)
  },
  send: async (frame) => {
    const { found, etag } = await readTagged(frame)
    const draft = readDraft(frame.fields)
    const problems = checkDraft(draft, frame)
    if (hasProblems(problems)) return changeForm(frame, found, draft, problems)
    const body = changesOf(draft, savedDraft(found, etag))
    try {
      if (Object.keys(body).length > 0)
        await frame.api.call(clients.change, { params: { clientId: found.clientId }, body, ifMatch: draft.etag })
      return { to: at(found) }
    } catch (error) {
      if (error instanceof ApiRefusal && error.status === 412) return conflict(frame, draft)
      return changeForm(frame, found, draft, refusedDraft(error, frame, false))
    }
  },
})

function changeForm(frame: Frame, found: Application, draft: Draft, problems: Problems, both?: Html): Screen {
  const t = applicationTexts[frame.language]
  const fields = applicationFields(frame, draft, problems, false)
  const content = html`${card(fields)}<div class="buttons">${button(frame.t.save, { look: 'main' })}${buttonLink(frame.t.cancel, at(found))}</div>`
  return {
    title: `${t.change}${frame.t.colon}${found.name ?? found.clientId}`,
    crumbs: crumbs(found, t, t.change),
    main: html`<div class="narrow stack">${problemList(frame.texts.problems, problems)}${both}${form(frame, at(found, 'change'), content)}</div>`,
    hasErrors: hasProblems(problems),
  }
}

/** Both versions: what another person saved, and what was typed here. */
async function conflict(frame: Frame<{ readonly id: string }>, draft: Draft): Promise<Screen> {
  const t = applicationTexts[frame.language]
  const { found, etag } = await readTagged(frame)
  const [theirs, yours] = [said(frame, t, savedDraft(found, etag)), said(frame, t, draft)]
  const labels = yours.map(([label]) => label)
  const of = (pairs: typeof yours, label: string) => pairs.find(([one]) => one === label)?.[1] ?? ''
  const both = bothVersions(t, at(found, 'change'), {
    name: t.part,
    differing: labels.filter((label) => of(theirs, label) !== of(yours, label)),
    label: (label) => label,
    theirs: (label) => of(theirs, label) || frame.t.none,
    yours: (label) => of(yours, label) || frame.t.none,
  })
  const page = changeForm(frame, found, { ...draft, etag }, noProblems, both)
  return { ...page, status: 412, hasErrors: true }
}

/** What a draft says, by the labels of the form. */
function said({ texts }: Frame, t: ApplicationTexts, draft: Draft) {
  const yesNo = (is: boolean) => (is ? texts.yes : texts.no)
  const names: Readonly<Record<string, string>> = texts.roles
  const grants: Readonly<Record<string, string>> = t.grantNames
  const pairs: readonly (readonly [label: string, text: string])[] = [
    [t.name, draft.name],
    [t.roles, draft.roles.map((one) => names[one] ?? one).join(', ')],
    [t.scopes, draft.scopes.toSorted().join(', ')],
    [t.grants, draft.grants.map((one) => grants[one] ?? one).join(', ')],
    [t.redirects, draft.redirects.split(/\s+/).join(' ')],
    [t.signOuts, draft.signOuts.split(/\s+/).join(' ')],
    [t.logout, draft.logout],
    [t.consent, yesNo(draft.asksConsent)],
    [t.dpop, yesNo(draft.isBound)],
    [t.par, yesNo(draft.isPushed)],
    [t.noPkce, yesNo(draft.isWithoutPkce)],
    [t.es256, yesNo(draft.isEs256)],
    [t.keys, draft.keys.length > 80 ? `…${draft.keys.replaceAll(/\s+/g, '').slice(-40)}` : draft.keys],
    [t.keysAt, draft.keysAt],
    [t.disable, yesNo(draft.isDisabled)],
  ]
  return pairs
}

/** The screens with which an application is added and changed. */
export const applicationForms: readonly Endpoint[] = [...create, ...change]
