import type { Language } from '../../contract/languages.ts'
import { spaced } from '../../pages/language.ts'

const en = {
  title: 'Messages',
  text: 'This browser can show a message when an offer or a request waits, or when a card changes. The message says only that something waits, never what.',
  turnOn: 'Turn on in this browser',
  turnOff: 'Turn off',
  isOn: 'Messages are on in this browser.',
  denied:
    'This browser refuses messages of this site. Allow them in its settings for this site, then open this page again.',
  absent:
    'This browser shows no messages of websites. On an iPhone or iPad, add the wallet to the home screen first, and open it there.',
  failed: 'The browser could not turn them on. Check the connection, and try again.',
  plain: 'Messages need scripts, which are off in this browser.',
  browsers: 'Browsers with messages',
  since: 'On since',
}

/** The texts of messages to browsers. */
type MessageTexts = typeof en

const fr: MessageTexts = {
  title: 'Notifications',
  text: 'Ce navigateur peut vous avertir quand une offre ou une demande vous attend, ou quand une carte change. La notification dit seulement que quelque chose vous attend, jamais quoi.',
  turnOn: 'Activer dans ce navigateur',
  turnOff: 'Désactiver',
  isOn: 'Les notifications sont activées dans ce navigateur.',
  denied:
    'Ce navigateur refuse les notifications de ce site. Autorisez-les dans ses réglages pour ce site, puis rouvrez cette page.',
  absent:
    'Ce navigateur n’affiche pas de notifications de sites. Sur un iPhone ou un iPad, ajoutez d’abord le portefeuille à l’écran d’accueil, et ouvrez-le de là.',
  failed: 'Le navigateur n’a pas pu les activer. Vérifiez la connexion, puis réessayez.',
  plain: 'Les notifications ont besoin de scripts, désactivés dans ce navigateur.',
  browsers: 'Navigateurs avec notifications',
  since: 'Activées depuis',
}

/** The texts by language. */
export const messageTexts: Readonly<Record<Language, MessageTexts>> = { en, fr: spaced(fr) }
