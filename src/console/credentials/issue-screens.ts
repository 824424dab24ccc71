import type { GivenBody } from '../../contract/call.ts'
import { credentialTemplates } from '../../contract/issuance/credential-templates.ts'
import { issuances } from '../../contract/issuance/issuances.ts'
import type { JsonObject } from '../../crypto/json.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { field, form } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { cardStyle, credentialCard } from '../../pages/look/credential-card.ts'
import { onceField, onceHeader, typed } from '../../pages/once.ts'
import { button, buttonLink, card, message } from '../../pages/parts.ts'
import { copied } from '../frame/copied.ts'
import { hasProblems, noProblems, type Problems, problemList, problemsOf } from '../frame/form-values.ts'
import { type Frame, formScreen, type Screen } from '../frame/screen.ts'
import { lineOf, lookOf } from '../templates/card-look.ts'
import { labelOf, type Template } from '../templates/content/template.ts'
import type { ConsoleIssuance } from './issuance.ts'
import { lifetimeField, lifetimeOf, mailFields, mailOf } from './mail-fields.ts'
import { readOldValues, readReplaced, replaceFields, replacesOf } from './replace-fields.ts'
import { credentialTexts } from './texts.ts'
import { validityFields, validityOfForm } from './validity-fields.ts'
import { fieldOf, readValues, valueFields } from './values-form.ts'

const LIST = '/console/credentials'

const issue = formScreen({
  place: 'credentials',
  path: '/console/issue/{template}',
  summary: 'Issues one credential.',
  show: async (frame) => {
    const old = await readReplaced(frame)
    const values = old === null ? null : await readOldValues(frame, old)
    return issueForm(frame, await templateOf(frame), noProblems, old, values)
  },
  send: async (frame) => {
    const t = credentialTexts[frame.language]
    const template = await templateOf(frame)
    const old = await readReplaced(frame)
    const { attributes, wrong } = readValues(frame, template, t)
    if (Object.keys(wrong).length > 0) return issueForm(frame, template, { fields: wrong }, old)
    try {
      const { data } = await frame.api.call(issuances.create, {
        body: bodyOf(frame, template, attributes),
        headers: onceHeader(frame.fields),
      })
      return data.txCode === undefined ? { to: `${LIST}/${data.id}` } : withCode(frame, data)
    } catch (error) {
      return issueForm(frame, template, problemsOf(error, fieldOf, frame.t), old)
    }
  },
})

async function templateOf({ api, params }: Frame<{ readonly template: string }>): Promise<Template> {
  return (await api.call(credentialTemplates.get, { params: { id: params.template } })).data
}

function bodyOf(frame: Frame, { id }: Template, attributes: JsonObject): GivenBody<typeof issuances.create> {
  const { fields } = frame
  const [reference, recipient] = [typed(fields, 'reference'), typed(fields, 'recipient')]
  return {
    credentialTemplateId: id,
    attributes,
    ...lifetimeOf(fields),
    ...(reference !== '' && { reference }),
    ...(recipient !== '' && { recipient: { identifierType: 'username', value: recipient } }),
    ...validityOfForm(frame),
    ...replacesOf(frame),
    ...mailOf(fields),
  }
}

/**
 * @param old What is replaced; null: nothing.
 * @param oldValues Its values, for a form that was not sent yet; null: there are none.
 */
function issueForm(
  frame: Frame,
  template: Template,
  problems: Problems,
  old: ConsoleIssuance | null,
  oldValues: JsonObject | null = null,
): Screen {
  const t = credentialTexts[frame.language]
  // What the old credential had, until the form was sent.
  const kept = { reference: old?.reference, recipient: old?.recipient?.username }
  const given = (name: 'reference' | 'recipient') =>
    frame.fields.has(name) ? typed(frame.fields, name) : (kept[name] ?? '')
  const isEmpty = oldValues === null && !hasProblems(problems)
  const action = `/console/issue/${template.id}`
  const look = lookOf(template)
  const line = lineOf(template).map(labelOf).join(' · ')
  const reference = field(frame, {
    name: 'reference',
    label: t.reference,
    hint: t.referenceHint,
    value: given('reference'),
    isOptional: true,
    lengthMax: 200,
    error: problems.fields.reference,
  })
  const recipient = field(frame, {
    name: 'recipient',
    label: t.recipient,
    hint: t.recipientHint,
    value: given('recipient'),
    isOptional: true,
    isName: true,
    lengthMax: 255,
    error: problems.fields.recipient,
  })
  const mail = mailFields(frame, '', problems.fields.mail)
  const content = html`${onceField(frame.fields)}
  ${old !== null && replaceFields(frame, old, problems, isEmpty)}
  ${card(valueFields(frame, t, template, { wrong: problems.fields, oldValues }), t.values)}
  ${card(html`${reference}${recipient}${mail}${lifetimeField(frame)}${validityFields(frame, problems)}`, t.offer)}
  <div class="buttons narrow">${button(t.send, { look: 'main' })}${buttonLink(frame.t.cancel, LIST)}</div>`
  return {
    title: old === null ? t.issueOf(template.name) : t.replace.title(template.name),
    crumbs: [[t.title, LIST], [t.issueTitle, '/console/issue'], [template.name]],
    main: html`${problemList(frame.texts.problems, problems)}
    <div class="beside">
      ${form(frame, action, content)}
      <div>${credentialCard({ issuer: frame.me.organisation.name, name: template.name, line, ...look })}</div>
    </div>`,
    style: cardStyle(look),
    hasErrors: hasProblems(problems),
  }
}

/** The only page that has the code: it is told once. */
export function withCode(frame: Frame, { id, txCode = '' }: ConsoleIssuance): Screen {
  const t = credentialTexts[frame.language]
  return {
    title: t.code,
    crumbs: [[t.title, LIST], [t.code]],
    main: html`<div class="narrow stack">
      ${message('note', t.codeText)}
      ${card(copied(frame, txCode))}
      <p>${buttonLink(t.offer, `${LIST}/${id}`)}</p>
    </div>`,
    modules: ['copy-text'],
  }
}

/** Issuing one credential. */
export const issueScreens: readonly Endpoint[] = issue
