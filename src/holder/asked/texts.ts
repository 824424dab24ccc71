import type { Language } from '../../contract/languages.ts'
import { spaced } from '../../pages/language.ts'

const en = {
  title: (verifier: string, count: number) => `${verifier} asks for ${count === 1 ? '1 thing' : `${count} things`}`,
  titleNone: (verifier: string) => `${verifier} asks for something that you do not have`,
  trust: {
    own: 'Your organisation',
    known: 'Known organisation',
    unknown: 'Not known to your organisation',
    unproved: 'Nothing proves who this is',
  },
  calls: (name: string) => `It calls itself “${name}”.`,
  unproved: 'Anybody could have made this request. Share only if you know for another reason who gets your data.',
  why: 'Why',
  quoted: (text: string) => `“${text}”`,
  noWhy: 'They do not say why.',
  kept: (time: string) => `They say that they keep it for ${time}.`,
  keptUnknown: 'They do not say how long they keep it.',
  see: 'They will see',
  fromCard: 'from your',
  of: 'of',
  another: 'use another card',
  use: (card: string) => `Use ${card}`,
  always: 'always shown with this card',
  stays: 'This stays with you',
  notShared: 'not shared',
  staysNothing: 'Nothing of this card stays.',
  staysMore: (count: number) => `And ${count} more that stay.`,
  more: (count: number) => `${count} more`,
  tooMuch: (count: number) =>
    `This card would send ${count === 1 ? '1 more thing' : `${count} more things`} than fit on this page. What you have not seen cannot be shared from here. Use another card, or do not share.`,
  newerCards: 'The cards before these',
  olderCards: (count: number) => `${count} more cards`,
  transaction: 'With this you also agree to',
  share: (count: number, verifier: string) => `Share ${count === 1 ? 'it' : `these ${count}`} with ${verifier}`,
  shareAnyway: 'Share anyway',
  refuse: 'Do not share',
  expires: 'Expires',
  nothing: 'No card in your wallet answers this. Nothing was shared.',
  missing: 'What is missing',
  issuedBy: (issuers: string) => `Issued by: ${issuers}`,
  issuerUnknown: 'Who issues it is not known here. Ask those who want to see it.',
  confirmFirst: 'Your organisation wants you to sign in again before you share.',
  notConfirmed: 'You did not sign in again for this, or it took too long. Nothing was shared. Try again.',
  busy: 'They cannot take it right now. They got nothing, and nothing is lost. Send it again in a minute.',
  changed: 'This changed while you were looking. Nothing was shared. Look at it again.',
  newly: (names: string) => `New: ${names}`,
  gone: (names: string) => `No longer: ${names}`,
  ended: {
    answered: ['You shared it', 'This is what they saw.'],
    rejected: ['You did not share', 'They were told that you declined. They saw nothing.'],
    expired: ['The request has expired', 'Nothing was shared. Ask for a new one.'],
    failed: [
      'They did not accept it',
      'It was sent, but they refused it or did not confirm it. They may have seen it.',
    ],
  },
  late: {
    answered: [
      'Somebody else answered first',
      'A request can be answered once. Your answer was refused unread: they saw nothing of it, and nothing was kept. Ask for a new request.',
    ],
    canceled: [
      'The request was withdrawn',
      'Your answer came after that and was refused unread: they saw nothing of it, and nothing was kept.',
    ],
    expired: [
      'The request has expired',
      'Your answer came too late and was refused unread: they saw nothing of it, and nothing was kept. Ask for a new request.',
    ],
    over: [
      'The request was over',
      'They say that it had ended when your answer came: it had expired, or somebody else had answered. They may have seen what you sent. Ask for a new request.',
    ],
  },
  notTold: 'It was not possible to tell them that you declined. They saw nothing.',
  unconfirmed: [
    'They have not confirmed it',
    'It was sent, but no answer came. Send the same again; they get nothing more.',
  ],
  already: {
    answered: 'You have shared this already. Nothing was sent again.',
    rejected: 'You have declined this already. Nothing was sent again.',
  },
  sendAgain: 'Send again',
  backTo: (host: string) => `Back to ${host}`,
  cards: 'Your cards',
  unnamed: 'card',
}

/** The texts of the consent. */
export type AskedTexts = typeof en

const fr: AskedTexts = {
  title: (verifier, count) => `${verifier} demande ${count === 1 ? '1 élément' : `${count} éléments`}`,
  titleNone: (verifier) => `${verifier} demande ce que vous n’avez pas`,
  trust: {
    own: 'Votre organisation',
    known: 'Organisation connue',
    unknown: 'Inconnue de votre organisation',
    unproved: 'Rien ne prouve qui c’est',
  },
  calls: (name) => `Se nomme « ${name} ».`,
  unproved:
    'N’importe qui a pu faire cette demande. Ne partagez que si vous savez par ailleurs qui reçoit vos données.',
  why: 'Pourquoi',
  quoted: (text) => `« ${text} »`,
  noWhy: 'Le motif n’est pas indiqué.',
  kept: (time) => `Durée de conservation annoncée : ${time}.`,
  keptUnknown: 'La durée de conservation n’est pas indiquée.',
  see: 'Ils verront',
  fromCard: 'de votre',
  of: 'de',
  another: 'prendre une autre carte',
  use: (card) => `Prendre ${card}`,
  always: 'toujours visible avec cette carte',
  stays: 'Ceci reste chez vous',
  notShared: 'non partagé',
  staysNothing: 'Rien de cette carte ne reste.',
  staysMore: (count) => `Et ${count} de plus, qui restent.`,
  more: (count) => `${count} de plus`,
  tooMuch: (count) =>
    `Cette carte enverrait ${count === 1 ? '1 élément' : `${count} éléments`} de plus que n’en montre cette page. Ce que vous n’avez pas vu ne peut pas être partagé d’ici. Prenez une autre carte, ou ne partagez pas.`,
  newerCards: 'Les cartes précédentes',
  olderCards: (count) => `${count} cartes de plus`,
  transaction: 'Vous acceptez aussi',
  share: (count, verifier) => `Partager ${count === 1 ? 'cet élément' : `ces ${count} éléments`} avec ${verifier}`,
  shareAnyway: 'Partager quand même',
  refuse: 'Ne pas partager',
  expires: 'Expire le',
  nothing: 'Aucune carte de votre portefeuille n’y répond. Rien n’a été partagé.',
  missing: 'Ce qui manque',
  issuedBy: (issuers) => `Délivrée par : ${issuers}`,
  issuerUnknown: 'Son émetteur n’est pas connu ici. Demandez à ceux qui veulent la voir.',
  confirmFirst: 'Votre organisation veut que vous vous connectiez de nouveau avant de partager.',
  notConfirmed: 'Vous ne vous êtes pas connecté de nouveau pour cela, ou trop tard. Rien n’a été partagé. Réessayez.',
  busy: 'Ils ne peuvent pas la recevoir pour l’instant. Ils n’ont rien reçu, et rien n’est perdu. Renvoyez-la dans une minute.',
  changed: 'Ceci a changé pendant que vous regardiez. Rien n’a été partagé. Regardez à nouveau.',
  newly: (names) => `Nouveau : ${names}`,
  gone: (names) => `Plus demandé : ${names}`,
  ended: {
    answered: ['Vous avez partagé', 'Voici ce qu’ils ont vu.'],
    rejected: ['Vous n’avez pas partagé', 'Ils savent que vous avez refusé. Ils n’ont rien vu.'],
    expired: ['La demande a expiré', 'Rien n’a été partagé. Demandez-en une nouvelle.'],
    failed: ['Ils ne l’ont pas accepté', 'L’envoi a été refusé ou n’a pas été confirmé. Ils l’ont peut-être vu.'],
  },
  late: {
    answered: [
      'Quelqu’un d’autre a répondu avant vous',
      'On ne répond qu’une fois à une demande. Votre réponse a été refusée sans être lue : ils n’en ont rien vu, et rien n’a été gardé. Demandez-en une nouvelle.',
    ],
    canceled: [
      'La demande a été retirée',
      'Votre réponse est arrivée après et a été refusée sans être lue : ils n’en ont rien vu, et rien n’a été gardé.',
    ],
    expired: [
      'La demande a expiré',
      'Votre réponse est arrivée trop tard et a été refusée sans être lue : ils n’en ont rien vu, et rien n’a été gardé. Demandez-en une nouvelle.',
    ],
    over: [
      'La demande était terminée',
      'Selon eux, elle avait pris fin à l’arrivée de votre réponse : elle avait expiré, ou quelqu’un d’autre avait répondu. Ils ont peut-être vu l’envoi. Demandez-en une nouvelle.',
    ],
  },
  notTold: 'Votre refus n’a pas pu leur être transmis. Ils n’ont rien vu.',
  unconfirmed: [
    'Pas encore de confirmation',
    'L’envoi est parti sans réponse. Renvoyez la même chose ; ils ne reçoivent rien de plus.',
  ],
  already: {
    answered: 'Vous avez déjà partagé cela. Rien n’a été envoyé à nouveau.',
    rejected: 'Vous avez déjà refusé cela. Rien n’a été envoyé à nouveau.',
  },
  sendAgain: 'Renvoyer',
  backTo: (host) => `Retour à ${host}`,
  cards: 'Vos cartes',
  unnamed: 'carte',
}

/** The texts by language. */
export const askedTexts: Readonly<Record<Language, AskedTexts>> = { en, fr: spaced(fr) }
