import { invitations } from '../../contract/directory/invitations.ts'
import { users } from '../../contract/directory/users.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { html } from '../../pages/html.ts'
import { onceHeader } from '../../pages/once.ts'
import { buttonLink, card, message } from '../../pages/parts.ts'
import { confirmScreen } from '../frame/confirm.ts'
import { copied } from '../frame/copied.ts'
import { when } from '../frame/when.ts'
import { type Person, peoplePath, peoplePlace, personName, personPath, readPerson } from './person.ts'
import { peopleTexts } from './texts.ts'

const invite = confirmScreen({
  place: peoplePlace,
  path: `${peoplePath}/{username}/invite`,
  summary: 'Makes a link by which a person signs in for the first time.',
  ask: async (frame) => {
    const t = peopleTexts[frame.language]
    const person = await readPerson(frame)
    return {
      title: `${t.invite}${frame.t.colon}${personName(person)}`,
      text: t.inviteText,
      button: t.invite,
      look: 'main',
      crumbs: crumbs(person, t, t.invite),
      back: personPath(person.username),
    }
  },
  act: async (frame) => {
    const { language, params } = frame
    const t = peopleTexts[language]
    const person = await readPerson(frame)
    const call = { body: { language }, headers: onceHeader(frame.fields) }
    const { data } = await frame.api.call(invitations.create, { params: { username: params.username }, ...call })
    const until = html`<p class="hint">${t.until} ${when(frame, data.expiresAt)}</p>`
    const told =
      data.link === undefined
        ? message('done', t.mailed)
        : html`${message('note', t.linkTold)}${card(html`${copied(frame, data.link)}${until}`)}`
    return {
      title: t.invited,
      crumbs: crumbs(person, t, t.invite),
      main: html`<div class="narrow stack">
        ${told}
        <p>${buttonLink(frame.t.back, personPath(person.username))}</p>
      </div>`,
      modules: ['copy-text'],
    }
  },
})

function crumbs(person: Person, { title }: { readonly title: string }, last: string) {
  return [[title, peoplePath], [personName(person), personPath(person.username)], [last]] as const
}

function confirmChange(verb: 'enable' | 'disable'): readonly Endpoint[] {
  return confirmScreen({
    place: peoplePlace,
    path: `${peoplePath}/{username}/${verb}`,
    summary: `Asks whether to ${verb} a person, and does it.`,
    ask: async (frame) => {
      const t = peopleTexts[frame.language]
      const person = await readPerson(frame)
      return {
        title: t[`${verb}Title`],
        text: `${personName(person)}${frame.t.colon}${t[`${verb}Text`]}`,
        button: t[verb],
        look: verb === 'enable' ? 'main' : 'danger',
        crumbs: crumbs(person, t, t[verb]),
        back: personPath(person.username),
      }
    },
    act: async ({ api, params }) => {
      await api.call(users.change, { params: { username: params.username }, body: { enabled: verb === 'enable' } })
      return { to: personPath(params.username) }
    },
  })
}

/** What is done with a person after a question. */
export const personChanges: readonly Endpoint[] = [...invite, ...confirmChange('enable'), ...confirmChange('disable')]
