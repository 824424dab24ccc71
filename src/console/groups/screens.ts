import type { ReplyOf } from '../../contract/api-operation.ts'
import { groups } from '../../contract/directory/groups.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { foreign, shownText } from '../../pages/foreign-text.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceField, onceHeader } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button, buttonLink, card, facts } from '../../pages/parts.ts'
import { pager, table } from '../../pages/table.ts'
import { bothVersions } from '../frame/both-versions.ts'
import { removeScreen } from '../frame/confirm.ts'
import { emptyList } from '../frame/empty-list.ts'
import { hasProblems, noProblems, type Problems, problemList } from '../frame/form-values.ts'
import { type Frame, formScreen, listOf, type Screen, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { countedPageOf, totalLine } from '../frame/total.ts'
import { when } from '../frame/when.ts'
import { at as personAt } from '../people/person.ts'
import {
  at,
  blank,
  checkDraft,
  type Draft,
  type Group,
  groupFields,
  LIST,
  newBody,
  place,
  read,
  readDraft,
  refusedDraft,
  savedDraft,
} from './group.ts'
import { memberScreens } from './member-screens.ts'
import { type GroupTexts, groupTexts } from './texts.ts'

type Member = ReplyOf<typeof groups.listMembers>[number]

const list = screen({
  place,
  path: LIST,
  summary: 'Lists the groups of people.',
  download: () => listOf(groups.list, { query: { sort: 'displayName' } }),
  show: async (frame) => {
    const t = groupTexts[frame.language]
    const query = { sort: 'displayName', ...countedPageOf(frame.query) }
    const { data, links, meta } = await frame.api.call(groups.list, { query })
    const columns = [
      { heading: t.name, cell: (one: Group) => html`<a href="${at(one)}">${foreign(one.displayName)}</a>` },
      { heading: t.roles, cell: (one: Group) => rolesOf(frame, one.roles, t) },
      { heading: t.changed, cell: (one: Group) => when(frame, one.updatedAt) },
    ]
    const canWrite = may(frame, 'users:write')
    const isFiltered = frame.query.after !== undefined || frame.query.before !== undefined
    const way = canWrite && buttonLink(t.new, `${LIST}/new`)
    const none = emptyList(frame, { isFiltered, fits: t.empty, empty: t.empty, way })
    return {
      title: t.title,
      main: html`<p class="lead">${t.lead}</p>${totalLine(frame, meta, t.counted)}${data.length === 0 ? none : table(t.title, columns, data)}${pager(frame.texts, links, frame.here)}`,
      actions: html`<div class="buttons">${canWrite && buttonLink(t.new, `${LIST}/new`, 'main')}</div>`,
      isEmpty: data.length === 0,
    }
  },
})

function rolesOf({ texts }: Frame, given: readonly string[], t: GroupTexts): string {
  const names: Readonly<Record<string, string>> = texts.roles
  return given.map((one) => names[one] ?? one).join(', ') || t.noRoles
}

const create = formScreen({
  place,
  path: `${LIST}/new`,
  summary: 'Adds a group.',
  show: (frame) => newForm(frame, frame.isKept ? readDraft(frame.fields) : blank, noProblems),
  send: async (frame) => {
    const draft = readDraft(frame.fields)
    const problems = checkDraft(draft, frame)
    if (hasProblems(problems)) return newForm(frame, draft, problems)
    try {
      const sent = { body: newBody(draft), headers: onceHeader(frame.fields) }
      const { data } = await frame.api.call(groups.create, sent)
      return { to: at(data) }
    } catch (error) {
      return newForm(frame, draft, refusedDraft(error, frame))
    }
  },
})

function newForm(frame: Frame, draft: Draft, problems: Problems): Screen {
  const t = groupTexts[frame.language]
  const content = html`${onceField(frame.fields)}${card(groupFields(frame, draft, problems, true))}<div class="buttons">${button(frame.t.save, { look: 'main' })}${buttonLink(frame.t.cancel, LIST)}</div>`
  return {
    title: t.new,
    crumbs: [[t.title, LIST], [t.new]],
    main: html`<div class="narrow stack">${problemList(frame.texts.problems, problems)}${form(frame, `${LIST}/new`, content)}</div>`,
    hasErrors: hasProblems(problems),
  }
}

const one = formScreen({
  place,
  path: `${LIST}/{id}`,
  summary: 'Shows a group with its members, and changes its name and roles.',
  download: ({ params }) => listOf(groups.listMembers, { params }),
  show: async (frame) => {
    const { found, etag } = await read(frame)
    return groupPage(frame, found, frame.isKept ? readDraft(frame.fields) : savedDraft(found, etag), noProblems)
  },
  send: async (frame) => {
    const { found } = await read(frame)
    const draft = readDraft(frame.fields)
    const problems = checkDraft(draft, frame)
    if (hasProblems(problems)) return groupPage(frame, found, draft, problems)
    try {
      const sent = { body: { displayName: draft.name, roles: draft.roles }, ifMatch: draft.etag }
      await frame.api.call(groups.change, { params: { id: found.id }, ...sent })
      return { to: at(found) }
    } catch (error) {
      if (error instanceof ApiRefusal && error.status === 412) return conflict(frame, draft)
      return groupPage(frame, found, draft, refusedDraft(error, frame))
    }
  },
})

async function groupPage(frame: Frame, found: Group, draft: Draft, problems: Problems, both?: Html): Promise<Screen> {
  const t = groupTexts[frame.language]
  const { data, links, meta } = await frame.api.call(groups.listMembers, {
    params: { id: found.id },
    query: countedPageOf(frame.query),
  })
  const canWrite = may(frame, 'users:write')
  const name = shownText(found.displayName)
  const known = facts([
    [t.roles, rolesOf(frame, found.roles, t)],
    ...(found.externalIdentifier === '' ? [] : [[t.externalIdentifier, foreign(found.externalIdentifier)] as const]),
    [t.changed, when(frame, found.updatedAt)],
  ])
  const columns = [
    {
      heading: t.username,
      cell: ({ username }: Member) => html`<a href="${personAt(username)}">${foreign(username)}</a>`,
    },
    ...(canWrite ? [{ heading: t.membership, cell: (member: Member) => takeLink(found, member, t) }] : []),
  ]
  const shown = data.length === 0 ? html`<p class="inside">${t.noMembers}</p>` : table(t.members, columns, data)
  const add = canWrite && buttonLink(t.add, at(found, 'members'))
  const members = html`<section class="panel"><header><h2>${t.members}</h2>${add}</header>${shown}</section>${totalLine(frame, meta, t.countedMembers)}${pager(frame.texts, links, frame.here)}`
  const content = html`${card(groupFields(frame, draft, problems, false))}<div class="buttons">${button(frame.t.save, { look: 'main' })}${buttonLink(frame.t.cancel, LIST)}</div>`
  const actions = canWrite && html`<div class="buttons">${buttonLink(t.remove, at(found, 'delete'))}</div>`
  return {
    title: name,
    crumbs: [[t.title, LIST], [name]],
    main: html`${problemList(frame.texts.problems, problems)}${both}<div class="columns"><div class="stack"><section class="panel">${known}</section>${members}</div>${canWrite && form(frame, at(found), content)}</div>`,
    actions: actions || undefined,
    hasErrors: hasProblems(problems),
    isEmpty: data.length === 0,
  }
}

function takeLink(found: Group, { username }: Member, t: GroupTexts): Html {
  const path = at(found, `members/${encodeURIComponent(username)}/remove`)
  return html`<a href="${path}" aria-label="${t.takeOf(shownText(username, 80))}">${t.take}</a>`
}

/** Both versions: what another person saved, and what was typed here. */
async function conflict(frame: Frame<{ readonly id: string }>, draft: Draft): Promise<Screen> {
  const t = groupTexts[frame.language]
  const { found, etag } = await read(frame)
  const text = { name: (one: Draft) => one.name, roles: (one: Draft) => rolesOf(frame, one.roles.toSorted(), t) }
  const theirs = savedDraft(found, etag)
  const both = bothVersions(t, at(found), {
    name: t.part,
    differing: (['name', 'roles'] as const).filter((name) => text[name](theirs) !== text[name](draft)),
    label: (name) => t[name],
    theirs: (name) => shownText(text[name](theirs), 500),
    yours: (name) => shownText(text[name](draft), 500),
  })
  const page = await groupPage(frame, found, { ...draft, etag }, noProblems, both)
  return { ...page, status: 412, hasErrors: true }
}

const remove = removeScreen({
  place,
  list: LIST,
  operation: groups.delete,
  texts: groupTexts,
  summary: 'Asks whether to delete a group, and does it.',
  nameOf: async (frame) => shownText((await read(frame)).found.displayName),
})

/** Groups of people. */
export const groupScreens: readonly Endpoint[] = [...list, ...create, ...one, ...memberScreens, ...remove]
