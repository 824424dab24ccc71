import { identityProviders } from '../../contract/directory/identity-providers.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { shownText } from '../../pages/foreign-text.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceField, onceHeader, typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button, buttonLink, card } from '../../pages/parts.ts'
import { bothVersions } from '../frame/both-versions.ts'
import { hasProblems, noProblems, type Problems, problemList } from '../frame/form-values.ts'
import { type Frame, formScreen, type Screen } from '../frame/screen.ts'
import { checkDraft, refusedDraft } from './checks.ts'
import { blank, changesOf, type Draft, newBody, readDraft, rolesIn, savedDraft, withMoreRows } from './draft.ts'
import { providerFields } from './form-fields.ts'
import { at, LIST, type Provider, place, read } from './provider.ts'
import { type ProviderTexts, providerTexts } from './texts.ts'

/** The button that adds rows for roles was pressed. */
function asksForRows({ fields }: Frame): boolean {
  return typed(fields, 'do') === 'rows'
}

const create = formScreen({
  place,
  path: `${LIST}/new`,
  summary: 'Adds a sign-in provider.',
  show: (frame) => newForm(frame, frame.isKept ? readDraft(frame.fields) : blank, noProblems),
  send: async (frame) => {
    const draft = readDraft(frame.fields)
    if (asksForRows(frame)) return newForm(frame, withMoreRows(draft), noProblems)
    const problems = checkDraft(draft, frame)
    if (hasProblems(problems)) return newForm(frame, draft, problems)
    try {
      const sent = { body: newBody(draft), headers: onceHeader(frame.fields) }
      const { data } = await frame.api.call(identityProviders.create, sent)
      return { to: at(data) }
    } catch (error) {
      return newForm(frame, draft, refusedDraft(error, draft, frame))
    }
  },
})

function newForm(frame: Frame, draft: Draft, problems: Problems): Screen {
  const t = providerTexts[frame.language]
  const fields = providerFields({ frame, draft, problems, known: null })
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
  summary: 'Changes a sign-in provider.',
  show: async (frame) => {
    const { found, etag } = await read(frame)
    return changeForm(frame, found, frame.isKept ? readDraft(frame.fields) : savedDraft(found, etag), noProblems)
  },
  send: async (frame) => {
    const { found, etag } = await read(frame)
    const draft = { ...readDraft(frame.fields), name: found.name }
    if (asksForRows(frame)) return changeForm(frame, found, withMoreRows(draft), noProblems)
    const problems = checkDraft(draft, frame)
    if (hasProblems(problems)) return changeForm(frame, found, draft, problems)
    const body = changesOf(draft, savedDraft(found, etag))
    try {
      if (Object.keys(body).length > 0)
        await frame.api.call(identityProviders.change, { params: { id: found.id }, body, ifMatch: draft.etag })
      return { to: at(found) }
    } catch (error) {
      if (error instanceof ApiRefusal && error.status === 412) return conflict(frame, draft)
      return changeForm(frame, found, draft, refusedDraft(error, draft, frame))
    }
  },
})

function changeForm(frame: Frame, found: Provider, draft: Draft, problems: Problems, both?: Html): Screen {
  const t = providerTexts[frame.language]
  const fields = providerFields({ frame, draft, problems, known: found })
  const content = html`${card(fields)}<div class="buttons">${button(frame.t.save, { look: 'main' })}${buttonLink(frame.t.cancel, at(found))}</div>`
  const name = shownText(found.displayName)
  return {
    title: `${t.change}${frame.t.colon}${name}`,
    crumbs: [[t.title, LIST], [name, at(found)], [t.change]],
    main: html`<div class="narrow stack">${problemList(frame.texts.problems, problems)}${both}<p class="hint">${t.ofFile}</p>${form(frame, at(found, 'change'), content)}</div>`,
    hasErrors: hasProblems(problems),
  }
}

/** Both versions: what another person saved, and what was typed here. */
async function conflict(frame: Frame<{ readonly id: string }>, draft: Draft): Promise<Screen> {
  const t = providerTexts[frame.language]
  const { found, etag } = await read(frame)
  const [theirs, yours] = [said(frame, t, savedDraft(found, etag)), said(frame, t, draft)]
  const labels = yours.map(([label]) => label)
  const of = (pairs: typeof yours, label: string) => pairs.find(([one]) => one === label)?.[1] ?? ''
  const both = bothVersions(t, at(found, 'change'), {
    name: t.part,
    differing: labels.filter((label) => of(theirs, label) !== of(yours, label)),
    label: (label) => label,
    theirs: (label) => shownText(of(theirs, label), 500),
    yours: (label) => shownText(of(yours, label), 500),
  })
  const again: Problems = draft.secret === '' ? noProblems : { fields: { secret: t.secretAgain } }
  return { ...changeForm(frame, found, { ...draft, etag }, again, both), status: 412, hasErrors: true }
}

/** What a draft says, by the labels of the form. */
function said({ texts }: Frame, t: ProviderTexts, draft: Draft) {
  const yesNo = (is: boolean) => (is ? texts.yes : texts.no)
  const pairs: readonly (readonly [label: string, text: string])[] = [
    [t.displayName, draft.displayName],
    [t.issuer, draft.issuer],
    [t.clientId, draft.clientId],
    [t.creates, yesNo(draft.createsUsers)],
    [t.rolesClaim, draft.rolesClaim],
    [t.roles, rolesText(draft, texts.roles)],
    [t.signIn, yesNo(draft.signsIn)],
    [t.scopes, draft.scopes],
    [t.username, draft.username],
    [t.email, draft.email],
    [t.externalId, draft.externalId],
    [t.tokens, yesNo(draft.acceptsTokens)],
    [t.audience, draft.audience],
  ]
  return pairs
}

function rolesText(draft: Draft, names: Readonly<Record<string, string>>): string {
  const given = Object.entries(rolesIn(draft)).map(
    ([there, here]) => `${there} → ${here.map((one) => names[one] ?? one).join(', ') || '–'}`,
  )
  return given.join('; ')
}

/** The screens with which a sign-in provider is added and changed. */
export const providerForms: readonly Endpoint[] = [...create, ...change]
