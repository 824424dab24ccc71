import { groups } from '../../contract/directory/groups.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { shownText } from '../../pages/foreign-text.ts'
import { field, form } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button, buttonLink, card } from '../../pages/parts.ts'
import { confirmScreen } from '../frame/confirm.ts'
import { hasProblems, noProblems, type Problems, problemList } from '../frame/form-values.ts'
import { type Frame, formScreen, type Screen } from '../frame/screen.ts'
import { groupPath, groupsPath, groupsPlace, read, type ShownGroup } from './group.ts'
import { groupTexts } from './texts.ts'

const add = formScreen({
  place: groupsPlace,
  path: `${groupsPath}/{id}/members`,
  summary: 'Adds a person to a group.',
  show: async (frame) => memberForm(frame, await read(frame), noProblems),
  send: async (frame) => {
    const t = groupTexts[frame.language]
    const found = await read(frame)
    const username = typed(frame.fields, 'username')
    const refuse = (text: string) => memberForm(frame, found, { fields: { username: text } })
    if (username === '') return refuse(frame.t.required(t.username))
    try {
      await frame.api.call(groups.addMember, { params: { id: found.id, username } })
      return { to: groupPath(found) }
    } catch (error) {
      // No username is as long as an address can be.
      if (error instanceof ApiRefusal && [400, 404, 414].includes(error.status)) return refuse(t.unknown)
      throw error
    }
  },
})

function memberForm(frame: Frame, found: ShownGroup, problems: Problems): Screen {
  const t = groupTexts[frame.language]
  const name = shownText(found.displayName)
  const username = field(frame, {
    name: 'username',
    label: t.username,
    hint: t.usernameHint,
    value: typed(frame.fields, 'username'),
    isName: true,
    lengthMax: 255,
    error: problems.fields.username,
  })
  const content = html`${card(username)}
  <div class="buttons">${button(t.add, { look: 'main' })}${buttonLink(frame.t.cancel, groupPath(found))}</div>`
  return {
    title: t.add,
    crumbs: [[t.title, groupsPath], [name, groupPath(found)], [t.add]],
    main: html`<div class="narrow stack">
      ${problemList(frame.texts.problems, problems)}
      ${form(frame, groupPath(found, 'members'), content)}
    </div>`,
    hasErrors: hasProblems(problems),
  }
}

const take = confirmScreen({
  place: groupsPlace,
  path: `${groupsPath}/{id}/members/{username}/remove`,
  summary: 'Asks whether to remove a person from a group, and does it.',
  ask: async (frame) => {
    const t = groupTexts[frame.language]
    const found = await read(frame)
    const name = shownText(found.displayName)
    return {
      title: t.takeTitle,
      text: `${shownText(frame.params.username)}${frame.t.colon}${t.takeText}`,
      button: t.take,
      look: 'danger',
      crumbs: [[t.title, groupsPath], [name, groupPath(found)], [t.take]],
      back: groupPath(found),
    }
  },
  act: async ({ api, params }) => {
    await api.call(groups.removeMember, { params })
    return { to: groupPath(params) }
  },
})

/** The screens with which members of a group are added and removed. */
export const memberScreens: readonly Endpoint[] = [...add, ...take]
