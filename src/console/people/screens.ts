import { type Role, roles } from '../../caller.ts'
import { users } from '../../contract/directory/users.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { checkboxes, select } from '../../pages/controls.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { field, form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceField, onceHeader, typed } from '../../pages/once.ts'
import { button, buttonLink, card, facts } from '../../pages/parts.ts'
import { badge, pager, table } from '../../pages/table.ts'
import { emptyList } from '../frame/empty-list.ts'
import { hasProblems, noProblems, type Problems, problemList, problemsOf, typedAll } from '../frame/form-values.ts'
import { type Frame, formScreen, listOf, type Screen, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { keptSort, sortIn, sortingOf } from '../frame/sorting.ts'
import { countedPageOf, totalLine } from '../frame/total.ts'
import { changeScreens } from './change-screens.ts'
import { at, LIST, nameOf, type Person, place, readPerson } from './person.ts'
import { type PeopleTexts, peopleTexts } from './texts.ts'

// Object.keys loses the type of the keys.
const roleNames = Object.keys(roles) as Role[]

const orders = { names: ['username'], byDefault: 'username' }

const list = screen({
  place,
  path: LIST,
  summary: 'Lists the people of the organisation.',
  download: ({ query }) => listOf(users.list, { query: { ...filtersIn(query), sort: sortIn(query, orders) } }),
  show: async (frame) => {
    const { api, query, language, texts, t: common } = frame
    const t = peopleTexts[language]
    const filters = filtersIn(query)
    const { data, links, meta } = await api.call(users.list, {
      query: {
        ...filters,
        ...countedPageOf(query),
        sort: sortIn(query, orders),
      },
    })
    const choices = [
      { value: '', text: common.all },
      ...roleNames.map((value) => ({ value, text: frame.texts.roles[value] })),
    ]
    const filter = html`<form class="filter" method="get" action="${LIST}"><div class="field"><label for="q">${t.search}</label><input id="q" name="q" type="search" maxlength="200" value="${query.q ?? ''}"></div>${select(frame, { name: 'role', label: t.onlyRole, value: query.role ?? '', choices })}${keptSort(frame, orders)}${button(common.filter)}</form>`
    const isFiltered = Object.values(filters).some(Boolean)
    const columns = [
      {
        heading: t.username,
        sort: 'username',
        cell: (one: Person) =>
          html`<a href="${at(one.username)}">${foreign(nameOf(one))}</a>${nameOf(one) !== one.username && html`<br><span class="hint">${foreign(one.username, 255)}</span>`}`,
      },
      {
        heading: t.roles,
        cell: (one: Person) => one.roles.map((role) => frame.texts.roles[role]).join(', ') || common.none,
      },
      { heading: t.state, cell: (one: Person) => stateOf(one, t) },
    ]
    const shown =
      data.length === 0
        ? emptyList(frame, {
            isFiltered,
            fits: links.next === undefined ? t.emptyFilter : t.notYet,
            empty: links.next === undefined ? t.empty : t.notYet,
          })
        : table(t.title, columns, data, sortingOf(frame, orders))
    const actions = html`<div class="buttons">${may(frame, 'users:write') && buttonLink(t.new, `${LIST}/new`, 'main')}</div>`
    return {
      title: t.title,
      main: html`${filter}${totalLine(frame, meta, t.counted)}${shown}${pager(texts, links, frame.here)}`,
      actions,
      isEmpty: data.length === 0,
    }
  },
})

function filtersIn({ q, role }: Frame['query']): Record<string, string | undefined> {
  return { 'search[name]': q?.trim(), 'filter[role]': role }
}

function stateOf({ enabled }: Person, t: PeopleTexts): Html {
  return enabled ? badge(t.enabled, 'ok') : badge(t.disabled, 'warn')
}

const create = formScreen({
  place,
  path: `${LIST}/new`,
  summary: 'Adds a person.',
  show: (frame) => personForm(frame, noProblems),
  send: async (frame) => {
    const t = peopleTexts[frame.language]
    const body = bodyOf(frame)
    if (body.username === undefined && body.email === undefined)
      return personForm(frame, { fields: { username: t.missing } })
    try {
      const { data, meta } = await frame.api.call(users.create, { body, headers: onceHeader(frame.fields) })
      return meta.created === false ? personForm(frame, { fields: {}, general: t.existed }) : { to: at(data.username) }
    } catch (error) {
      return personForm(frame, problemsOf(error, fieldAt, frame.t))
    }
  },
})

function fieldAt(pointer: string): string | null {
  const name = pointer.slice(1)
  return ['username', 'email', 'firstName', 'lastName'].includes(name) ? name : null
}

/** Returns what a form says of a person. */
export function bodyOf({ fields }: Pick<Frame, 'fields'>): Record<string, unknown> {
  const given = ['username', 'email', 'firstName', 'lastName'].flatMap((name) => {
    const value = typed(fields, name)
    return value === '' ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(given), roles: typedAll(fields, 'roles') }
}

/** Returns the fields of a person: as typed, else as they are now. */
export function personFields(frame: Frame, t: PeopleTexts, problems: Problems, now: Partial<Person>): Html {
  const isTyped = frame.fields.size > 0
  const value = (name: 'username' | 'email' | 'firstName' | 'lastName') =>
    isTyped ? typed(frame.fields, name) : (now[name] ?? '')
  const one = (name: 'username' | 'email' | 'firstName' | 'lastName', label: string) => ({
    name,
    label,
    value: value(name),
    isOptional: true,
    lengthMax: 254,
    error: problems.fields[name],
  })
  const choices = roleNames.map((role) => ({ value: role, text: frame.texts.roles[role] }))
  const on = isTyped ? typedAll(frame.fields, 'roles') : (now.roles ?? [])
  return html`${field(frame, one('firstName', t.first))}${field(frame, one('lastName', t.last))}${field(frame, { ...one('email', t.email), type: 'email' })}${now.username === undefined && field(frame, { ...one('username', t.username), hint: t.usernameHint, isName: true })}${checkboxes('roles', t.roles, choices, on)}`
}

function personForm(frame: Frame, problems: Problems): Screen {
  const t = peopleTexts[frame.language]
  const content = html`${onceField(frame.fields)}${card(personFields(frame, t, problems, {}))}<div class="buttons">${button(frame.t.save, { look: 'main' })}${buttonLink(frame.t.cancel, LIST)}</div>`
  return {
    title: t.new,
    crumbs: [[t.title, LIST], [t.new]],
    main: html`<div class="narrow stack">${problemList(frame.texts.problems, problems)}${form(frame, `${LIST}/new`, content)}</div>`,
    hasErrors: hasProblems(problems),
  }
}

const one = formScreen({
  place,
  path: `${LIST}/{username}`,
  summary: 'Shows a person, and changes name and roles.',
  show: async (frame) => personPage(frame, await readPerson(frame), noProblems),
  send: async (frame) => {
    const person = await readPerson(frame)
    const names = ['firstName', 'lastName', 'email'].map((name) => [name, typed(frame.fields, name) || null])
    try {
      const body = { ...Object.fromEntries(names), roles: typedAll(frame.fields, 'roles') }
      await frame.api.call(users.change, { params: { username: person.username }, body })
      return { to: at(person.username) }
    } catch (error) {
      return personPage(frame, person, problemsOf(error, fieldAt, frame.t))
    }
  },
})

function personPage(frame: Frame, person: Person, problems: Problems): Screen {
  const t = peopleTexts[frame.language]
  const canWrite = may(frame, 'users:write')
  const here = at(person.username)
  const known = facts([
    [t.username, person.username],
    [t.email, person.email || frame.t.none],
    [t.state, stateOf(person, t)],
  ])
  const actions = html`<div class="actions">${buttonLink(t.invite, `${here}/invite`)}${buttonLink(person.enabled ? t.disable : t.enable, `${here}/${person.enabled ? 'disable' : 'enable'}`)}${buttonLink(t.remove, `${here}/delete`)}</div>`
  const change = form(
    frame,
    here,
    html`${card(personFields(frame, t, problems, person), t.change)}<div class="buttons">${button(frame.t.save, { look: 'main' })}${buttonLink(frame.t.cancel, LIST)}</div>`,
  )
  return {
    title: nameOf(person),
    crumbs: [[t.title, LIST], [nameOf(person)]],
    main: html`${problemList(frame.texts.problems, problems)}<div class="columns"><div class="stack"><section class="panel">${known}</section>${canWrite && actions}</div>${canWrite && change}</div>`,
    hasErrors: hasProblems(problems),
  }
}

/** People of the organisation. */
export const peopleScreens: readonly Endpoint[] = [...list, ...create, ...one, ...changeScreens]
