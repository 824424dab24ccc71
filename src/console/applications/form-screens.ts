import { type Role, roles } from '../../caller.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { checkbox, checkboxes, select, textArea } from '../../pages/controls.ts'
import { field, form } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { onceField, onceHeader, typed } from '../../pages/once.ts'
import { button, buttonLink, card } from '../../pages/parts.ts'
import { hasProblems, noProblems, type Problems, problemList, problemsOf, typedAll } from '../frame/form-values.ts'
import { type Frame, formScreen, type Screen } from '../frame/screen.ts'
import { API, type Application, at, crumbs, LIST, place, read, secretTold } from './application.ts'
import { applicationTexts } from './texts.ts'

// Object.keys loses the type of the keys.
const roleNames = Object.keys(roles) as Role[]

/** What a form of an application holds. */
type Draft = {
  readonly name: string
  readonly roles: readonly string[]
  readonly redirects: readonly string[]
  readonly disabled: boolean
}

function draftOf({ fields }: Frame): Draft {
  return {
    name: typed(fields, 'name'),
    roles: typedAll(fields, 'roles'),
    redirects: typed(fields, 'redirects')
      .split(/\s+/)
      .filter((one) => one !== ''),
    disabled: typed(fields, 'disabled') === '1',
  }
}

function fieldOf(pointer: string): string | null {
  if (pointer.startsWith('/redirectUris')) return 'redirects'
  return pointer === '/name' ? 'name' : null
}

const create = formScreen({
  ...{ place, path: `${LIST}/new`, summary: 'Adds an application.' },
  show: (frame) => newForm(frame, noProblems),
  send: async (frame) => {
    const t = applicationTexts[frame.language]
    if (typed(frame.fields, 'name') === '') return newForm(frame, { fields: { name: frame.t.required(t.name) } })
    try {
      const { data } = await frame.api.send<Application>('POST', API, {
        body: newBody(frame),
        headers: onceHeader(frame.fields),
      })
      return data.clientSecret === undefined ? { to: at(data) } : secretTold(frame, data)
    } catch (error) {
      return newForm(frame, problemsOf(error, fieldOf, frame.t))
    }
  },
})

function newBody(frame: Frame): object {
  const { name, roles: held, redirects: redirectUris } = draftOf(frame)
  const isPublic = typed(frame.fields, 'kind') === 'app'
  const grants =
    isPublic || redirectUris.length === 0
      ? {}
      : { grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'] }
  return { name, roles: held, isPublic, redirectUris, ...grants }
}

function newForm(frame: Frame, problems: Problems): Screen {
  const t = applicationTexts[frame.language]
  const kinds = Object.entries(t.kinds).map(([value, text]) => ({ value, text }))
  const kind = select(frame, { name: 'kind', label: t.kind, value: typed(frame.fields, 'kind'), choices: kinds })
  const { name, ...others } = controls(frame, draftOf(frame), problems)
  const content = html`${onceField(frame.fields)}${card(html`${name}${kind}${others.roles}${others.redirects}`)}<div class="buttons">${button(frame.t.save, { look: 'main' })}${buttonLink(frame.t.cancel, LIST)}</div>`
  return {
    title: t.new,
    crumbs: [[t.title, LIST], [t.new]],
    main: html`<div class="narrow stack">${problemList(frame.texts.problems, problems)}${form(frame, `${LIST}/new`, content)}</div>`,
    hasErrors: hasProblems(problems),
  }
}

function controls(frame: Frame, draft: Draft, problems: Problems) {
  const t = applicationTexts[frame.language]
  const choices = roleNames.filter((one) => one !== 'holder').map((value) => ({ value, text: frame.t.roles[value] }))
  return {
    name: field(frame, { name: 'name', label: t.name, value: draft.name, lengthMax: 200, error: problems.fields.name }),
    roles: checkboxes('roles', t.roles, choices, draft.roles),
    redirects: textArea(frame, {
      ...{ name: 'redirects', label: t.redirects, hint: t.redirectsHint, value: draft.redirects.join('\n') },
      ...{ isOptional: true, error: problems.fields.redirects },
    }),
  }
}

const change = formScreen({
  ...{ place, path: `${LIST}/{id}/change`, summary: 'Changes an application.' },
  show: async (frame) => {
    const found = await read(frame)
    return changeForm(frame, found, frame.isKept ? draftOf(frame) : savedDraft(found), noProblems)
  },
  send: async (frame) => {
    const found = await read(frame)
    const draft = draftOf(frame)
    const t = applicationTexts[frame.language]
    if (draft.name === '') return changeForm(frame, found, draft, { fields: { name: frame.t.required(t.name) } })
    const body = changesOf(draft, savedDraft(found))
    try {
      const path = `${API}/${encodeURIComponent(found.clientId)}`
      if (Object.keys(body).length > 0) await frame.api.send('PATCH', path, { body })
      return { to: at(found) }
    } catch (error) {
      return changeForm(frame, found, draft, problemsOf(error, fieldOf, frame.t))
    }
  },
})

function savedDraft({ name, clientId, roles: held, redirectUris, disabled }: Application): Draft {
  return { name: name ?? clientId, roles: held, redirects: redirectUris, disabled }
}

/** The members that differ: what the person left alone is not sent, so that it cannot be refused. */
function changesOf(draft: Draft, saved: Draft): object {
  const differs = (one: readonly string[], other: readonly string[]) =>
    one.length !== other.length || one.some((value) => !other.includes(value))
  return {
    ...(draft.name !== saved.name && { name: draft.name }),
    ...(differs(draft.roles, saved.roles) && { roles: draft.roles }),
    ...(differs(draft.redirects, saved.redirects) && { redirectUris: draft.redirects }),
    ...(draft.disabled !== saved.disabled && { disabled: draft.disabled }),
  }
}

function changeForm(frame: Frame, found: Application, draft: Draft, problems: Problems): Screen {
  const t = applicationTexts[frame.language]
  const { name, ...others } = controls(frame, draft, problems)
  const off = checkbox({ name: 'disabled', label: t.disable, hint: t.disableHint, isOn: draft.disabled })
  const content = html`${card(html`${name}${others.roles}${others.redirects}${off}`)}<div class="buttons">${button(frame.t.save, { look: 'main' })}${buttonLink(frame.t.cancel, at(found))}</div>`
  return {
    title: `${t.change}${frame.t.colon}${found.name ?? found.clientId}`,
    crumbs: crumbs(found, t, t.change),
    main: html`<div class="narrow stack">${problemList(frame.texts.problems, problems)}${form(frame, at(found, 'change'), content)}</div>`,
    hasErrors: hasProblems(problems),
  }
}

/** The screens with which an application is added and changed. */
export const applicationForms: readonly Endpoint[] = [...create, ...change]
