import type { Language } from '../../contract/languages.ts'
import { spaced } from '../../pages/language.ts'

const en = {
  title: 'Public pages',
  counted: { one: 'page', many: 'pages' },
  lead: 'Pages on which visitors show a credential: by themselves, or in your own website with one line of HTML.',
  new: 'Make one',
  empty:
    'A public page asks visitors for a credential without any code of yours: a shop asks for a student card, a clinic for a referral. It shows a code for the phone, checks the answer, and hands your website a receipt with which it reads the result. You decide what to ask for, which websites may show the page, and how many people may use it at a time.',
  emptyFilter: 'No page has this name.',
  noRequests: 'First make a request: it says what visitors show.',
  makeRequest: 'Make a request',
  search: 'Name contains',
  name: 'Name',
  nameHint: 'For your organisation. Visitors do not see it.',
  presentationTemplateId: 'Asks for',
  isOpen: 'State',
  isOpenHint: 'A closed page says so to visitors. Requests that were begun can still be answered.',
  states: { true: 'Open', false: 'Closed' },
  changed: 'Changed',
  websites: 'Websites',
  heading: 'Heading',
  headingHint: 'What visitors read first. Without it the page says that your organisation asks.',
  explanation: 'Explanation',
  explanationHint: 'Why you ask, and what the visitor gets.',
  visitorSees: 'Visitors learn',
  sees: { verdict: 'whether the credential was accepted', receipt: 'only that their answer arrived' },
  anotherDevice: 'With a wallet on another device',
  anotherDeviceHint:
    'With no, the outcome is told once the wallet has led the browser back: nobody can let another person answer. A frame of ' +
    'a website cannot see that.',
  devices: { '': 'yes, but not under HAIP', true: 'yes: visitors get a code', false: 'no' },
  origins: 'Websites that may show the page',
  originsHint:
    'One address a line, such as https://shop.example.org, without anything behind the name. Leave it empty if none may.',
  redirectUri: 'Where visitors go then',
  redirectUriHint:
    'A page of your website. It gets request and response_code in its address, by which your server reads the result. The settings of the organisation must allow it.',
  more: 'More settings',
  requestsPerMinute: 'Visitors a minute, all together',
  requestsPerAddress: 'Visitors a minute from one network',
  expiresInSeconds: 'Minutes to answer',
  use: 'Use it',
  link: 'Link to the page',
  snippet: 'For your website',
  snippetHint:
    'Put this where the page should appear. When a visitor is done, the element fires the event “verified” (or “answered”, where visitors learn only that their answer arrived) with request and responseCode; send both to your server.',
  noWebsites: 'No website may show the page yet. Add its address, and you get the line to put there.',
  backend: 'On your server',
  backendHint:
    'Your server reads the result with a token of its own. Without the code of this visitor it gets nothing.',
  see: 'See it',
  remove: 'Delete',
  removeTitle: 'Delete this page?',
  removeText: 'Its address and your websites that show it stop working at once. Results stay.',
  changedTitle: 'This page was changed in the meantime',
}

/** Texts of the screens of verification pages. */
type PageTexts = typeof en

const fr: PageTexts = {
  title: 'Pages publiques',
  counted: { one: 'page', many: 'pages' },
  lead: 'Des pages où vos visiteurs montrent une attestation : seules, ou dans votre site avec une ligne de HTML.',
  new: 'En créer une',
  empty:
    'Une page publique demande une attestation aux visiteurs sans aucun programme de votre part : une boutique la carte d’étudiant, une clinique l’ordonnance. Elle montre un code pour le téléphone, vérifie la réponse et remet à votre site un reçu qui lui permet de lire le résultat. Vous décidez que demander, quels sites peuvent montrer la page et combien de personnes peuvent s’en servir à la fois.',
  emptyFilter: 'Aucune page ne porte ce nom.',
  noRequests: 'Créez d’abord une demande : elle dit ce que montrent les visiteurs.',
  makeRequest: 'Créer une demande',
  search: 'Le nom contient',
  name: 'Nom',
  nameHint: 'Pour votre organisation. Les visiteurs ne le voient pas.',
  presentationTemplateId: 'Demande',
  isOpen: 'État',
  isOpenHint: 'Une page fermée le dit aux visiteurs. Les demandes commencées peuvent encore recevoir leur réponse.',
  states: { true: 'Ouverte', false: 'Fermée' },
  changed: 'Modifiée',
  websites: 'Sites',
  heading: 'Titre',
  headingHint: 'Ce que les visiteurs lisent d’abord. Sans titre, la page dit que votre organisation demande.',
  explanation: 'Explication',
  explanationHint: 'Pourquoi vous demandez, et ce que le visiteur obtient.',
  visitorSees: 'Les visiteurs apprennent',
  sees: { verdict: 'si l’attestation a été acceptée', receipt: 'seulement que leur réponse est arrivée' },
  anotherDevice: 'Avec un portefeuille sur un autre appareil',
  anotherDeviceHint:
    'Avec non, le résultat est dit quand le portefeuille a ramené le navigateur : personne ne peut faire répondre quelqu’un ' +
    'd’autre. Le cadre d’un site ne peut pas le voir.',
  devices: { '': 'oui, sauf avec HAIP', true: 'oui : les visiteurs reçoivent un code', false: 'non' },
  origins: 'Sites qui peuvent montrer la page',
  originsHint:
    'Une adresse par ligne, par exemple https://boutique.example.org, sans rien derrière le nom. Laissez vide si aucun ne le peut.',
  redirectUri: 'Où vont ensuite les visiteurs',
  redirectUriHint:
    'Une page de votre site. Son adresse reçoit request et response_code, avec lesquels votre serveur lit le résultat. Les réglages de l’organisation doivent l’autoriser.',
  more: 'Autres réglages',
  requestsPerMinute: 'Visiteurs par minute, en tout',
  requestsPerAddress: 'Visiteurs par minute d’un même réseau',
  expiresInSeconds: 'Minutes pour répondre',
  use: 'S’en servir',
  link: 'Lien vers la page',
  snippet: 'Pour votre site',
  snippetHint:
    'Placez ceci là où la page doit paraître. Quand un visiteur a fini, l’élément émet l’événement « verified » (ou « answered », si les visiteurs apprennent seulement que leur réponse est arrivée) avec request et responseCode ; envoyez les deux à votre serveur.',
  noWebsites: 'Aucun site ne peut encore montrer la page. Ajoutez son adresse, et vous aurez la ligne à y placer.',
  backend: 'Sur votre serveur',
  backendHint: 'Votre serveur lit le résultat avec son propre jeton. Sans le code de ce visiteur, il n’obtient rien.',
  see: 'La voir',
  remove: 'Supprimer',
  removeTitle: 'Supprimer cette page ?',
  removeText: 'Son adresse et vos sites qui la montrent cessent aussitôt de fonctionner. Les résultats restent.',
  changedTitle: 'Cette page a changé entre-temps',
}

/** Texts of the screens of verification pages by language. */
export const verificationPageTexts: Readonly<Record<Language, PageTexts>> = { en, fr: spaced(fr) }
