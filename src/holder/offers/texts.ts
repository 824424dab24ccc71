import type { Language } from '../../contract/languages.ts'
import { spaced } from '../../pages/language.ts'

const en = {
  title: (issuer: string) => `${issuer} offers you a card`,
  many: (count: number) => `${count} cards`,
  trust: {
    own: 'Your organisation',
    trusted_entity: 'Known to your organisation',
    unknown: 'Not known to your organisation',
  },
  unknownAdvice: 'Take it only if you expected it. Anybody can choose a name; the address is what counts.',
  host: 'From',
  expires: 'Expires',
  says: 'It can say about you',
  code: 'Code',
  codeHint: {
    any: 'You got it by another way than the link, for example by mail or on paper.',
    digits: (length: number) => `${length} digits.`,
    characters: (length: number) => `${length} characters.`,
  },
  codeWrong: (left: number | null) =>
    left === null
      ? 'That code is not right.'
      : left === 1
        ? 'That code is not right. You can try once more.'
        : `That code is not right. You can try ${left} more times.`,
  codeForm: 'Enter the code as it was sent to you.',
  take: 'Take this card',
  takeMany: 'Take these cards',
  signIn: (host: string) => `Continue at ${host}`,
  signInAdvice: (host: string) => `${host} wants you to sign in there. You come back to your cards afterwards.`,
  not: 'Not now',
  later: ['The card comes later', 'The issuer has to approve it. It appears among your cards by itself.'],
  back: 'Your cards',
  again: 'Try again',
  taken: ['This card is already yours', 'You took it from this offer before. Nothing was added twice.'],
  takenMany: ['These cards are already yours', 'You took them from this offer before. Nothing was added twice.'],
  underway: [
    'This card is on its way',
    'You took this offer a moment ago. The card appears among your cards by itself.',
  ],
  show: 'Show the card',
  ended: {
    taken: [
      'This card was taken already',
      (issuer: string) =>
        `A wallet has taken it. If that was yours, the card is among your cards. If it was not you, tell ${issuer}, who can withdraw that card and offer you a new one.`,
    ],
    expired: [
      'This offer has expired',
      (issuer: string) => `Its time is over, and nothing was added. Ask ${issuer} for a new one.`,
    ],
    canceled: [
      'This offer was withdrawn',
      (issuer: string) => `It is not valid any more, and nothing was added. If you still expect a card, ask ${issuer}.`,
    ],
    locked: [
      'The code was wrong too often',
      (issuer: string) => `The offer is closed, so that nobody can guess the code. Ask ${issuer} for a new one.`,
    ],
    ended: [
      'This offer has ended',
      (issuer: string) => `It was taken, or its time is over. Nothing was added. Ask ${issuer} for a new one.`,
    ],
    unknown: [
      'There is no such offer',
      (issuer: string) =>
        `The link is incomplete or mistyped. Open it again where you got it, or ask ${issuer} for a new one.`,
    ],
    unsaid: [
      'This offer cannot be used',
      (issuer: string) =>
        `It was taken already, its time is over, or the link is incomplete: ${issuer} does not say which. Nothing was added. Ask there for a new one.`,
    ],
  } satisfies Record<string, readonly [string, (issuer: string) => string]>,
  theIssuer: 'its issuer',
  mine: 'Look in my wallet',
  malformed: [
    'This link cannot be read',
    'It is incomplete or of another kind. Ask for it again, or scan the code once more.',
  ],
  untrusted: [
    'Your organisation does not accept this issuer',
    'Ask the people who run it whether they want to add it.',
  ],
  lies: ['The issuer made a mistake', 'What it sent does not hold together, so nothing was added. Ask the issuer.'],
  away: ['There was no answer', 'The server behind this link is not reachable right now.'],
  busy: ['There is too much to do there', 'The server behind this link cannot answer right now.'],
  slow: ['This takes too long', 'The server behind this link did not answer in time.'],
  large: [
    'Too much was sent',
    'The server behind this link sent far more than a card or a request, so it was not read.',
  ],
  kept: {
    open: 'Nothing was taken, and the offer is as it was. Try again in a minute.',
    take: 'No card was added. Open the offer again in a minute; if it has ended by then, ask its issuer for a new one.',
    late: 'It may still work out. Look at your cards before you open the offer again.',
    request: 'Nothing was shared. Try again in a minute, or ask for a new link.',
  },
  full: ['Your wallet is full', 'Remove cards that you do not need, then try again.'],
  format: ['This kind of card is not supported', 'Your organisation has not enabled it.'],
  request: [
    'This request cannot be answered',
    'It is not made correctly, or asks for what this wallet cannot do. Nothing was shared. Tell those who sent it.',
  ],
  answered: [
    'This request was answered already',
    'A request can be answered once. Nothing was shared now. If it was not you, ask for a new one.',
  ],
  canceled: ['This request was withdrawn', 'Those who made it have withdrawn it. Nothing was shared.'],
  expired: ['This request has expired', 'Its time is over. Nothing was shared. Ask for a new one.'],
  over: [
    'This request is over',
    'Its verifier says that it has ended: it has expired, was answered, or was withdrawn. Nothing was shared. Ask for a new one.',
  ],
  noRequest: [
    'There is no such request',
    'Its verifier does not know it. The link is incomplete, or the request was deleted. Nothing was shared. Ask for a new one.',
  ],
  refusedVerifier: [
    'Your organisation does not accept this request',
    'Your organisation does not know this verifier. Nothing was shared.',
  ],
  unknown: ['This is not a link for your wallet', 'It is shown here and was not opened.'],
  nothing: ['No link', 'Scan a code, choose a picture, or paste the link that you were sent.'],
  scanTitle: 'Scan a code',
  camera: 'Use the camera',
  picture: 'Choose a picture of the code',
  paste: 'Or paste the link',
  pasteHint: 'It begins with https:// or openid.',
  open: 'Open',
  refused: 'The camera is not allowed. Choose a picture, or paste the link.',
  absent: 'There is no camera here. Choose a picture, or paste the link.',
  none: 'There is no code in this picture. Try another one, or paste the link.',
  looking: 'Hold the code in front of the camera.',
  plainScan: 'The camera needs scripts, which are off in this browser.',
  pageTitle: (issuer: string) => `${issuer} has a card for you`,
  here: 'Take it here',
  hereHint: 'In the wallet of your organisation, in this browser.',
  app: 'Open another wallet',
  appHint: 'An app on this device.',
  device: 'Another device',
  deviceHint: 'Scan this code with its camera: this page opens there.',
  pageQr: 'Code of this page',
  appCode: 'Code for a wallet app',
  appCodeHint: 'Scan this code with the app.',
  qr: 'Code of the offer',
}

/** The texts of offers and links. */
export type OfferTexts = typeof en

const fr: OfferTexts = {
  title: (issuer) => `${issuer} vous propose une carte`,
  many: (count) => `${count} cartes`,
  trust: {
    own: 'Votre organisation',
    trusted_entity: 'Connue de votre organisation',
    unknown: 'Inconnue de votre organisation',
  },
  unknownAdvice: 'Ne la prenez que si vous l’attendiez. Chacun peut choisir un nom ; c’est l’adresse qui compte.',
  host: 'De',
  expires: 'Expire le',
  says: 'Elle peut dire de vous',
  code: 'Code',
  codeHint: {
    any: 'Vous l’avez reçu par une autre voie que le lien, par exemple par courriel ou sur papier.',
    digits: (length) => `${length} chiffres.`,
    characters: (length) => `${length} caractères.`,
  },
  codeWrong: (left) =>
    left === null
      ? 'Ce code n’est pas correct.'
      : left === 1
        ? 'Ce code n’est pas correct. Encore un essai.'
        : `Ce code n’est pas correct. Encore ${left} essais.`,
  codeForm: 'Saisissez le code tel que vous l’avez reçu.',
  take: 'Prendre cette carte',
  takeMany: 'Prendre ces cartes',
  signIn: (host) => `Continuer chez ${host}`,
  signInAdvice: (host) => `${host} vous demande de vous y connecter. Vous reviendrez ensuite à vos cartes.`,
  not: 'Pas maintenant',
  later: ['La carte viendra plus tard', 'L’émetteur doit l’approuver. Elle apparaîtra d’elle-même parmi vos cartes.'],
  back: 'Vos cartes',
  again: 'Réessayer',
  taken: ['Cette carte est déjà à vous', 'Vous l’avez prise de cette offre. Rien n’a été ajouté deux fois.'],
  takenMany: ['Ces cartes sont déjà à vous', 'Vous les avez prises de cette offre. Rien n’a été ajouté deux fois.'],
  underway: [
    'Cette carte est en route',
    'Vous avez pris cette offre il y a un instant. La carte apparaît d’elle-même parmi vos cartes.',
  ],
  show: 'Voir la carte',
  ended: {
    taken: [
      'Cette carte a déjà été prise',
      (issuer) =>
        `Un portefeuille l’a prise. Si c’était le vôtre, la carte est parmi vos cartes. Si ce n’était pas vous, dites-le à ${issuer}, qui peut retirer cette carte et vous en proposer une nouvelle.`,
    ],
    expired: [
      'Cette offre a expiré',
      (issuer) => `Sa durée est écoulée ; rien n’a été ajouté. Demandez-en une nouvelle à ${issuer}.`,
    ],
    canceled: [
      'Cette offre a été retirée',
      (issuer) =>
        `Elle n’est plus valable ; rien n’a été ajouté. Si vous attendez encore une carte, adressez-vous à ${issuer}.`,
    ],
    locked: [
      'Le code a été faux trop souvent',
      (issuer) => `L’offre est fermée, pour que personne ne devine le code. Demandez-en une nouvelle à ${issuer}.`,
    ],
    ended: [
      'Cette offre est terminée',
      (issuer) =>
        `Elle a été prise, ou sa durée est écoulée. Rien n’a été ajouté. Demandez-en une nouvelle à ${issuer}.`,
    ],
    unknown: [
      'Cette offre n’existe pas',
      (issuer) =>
        `Le lien est incomplet ou mal saisi. Rouvrez-le là où vous l’avez reçu, ou demandez-en un nouveau à ${issuer}.`,
    ],
    unsaid: [
      'Cette offre est inutilisable',
      (issuer) =>
        `Elle a déjà été prise, sa durée est écoulée, ou le lien est incomplet : ${issuer} ne précise pas. Rien n’a été ajouté. Demandez-y une nouvelle offre.`,
    ],
  },
  theIssuer: 'son émetteur',
  mine: 'Voir dans mon portefeuille',
  malformed: [
    'Ce lien est illisible',
    'Il est incomplet ou d’une autre sorte. Redemandez-le, ou scannez le code à nouveau.',
  ],
  untrusted: ['Votre organisation n’accepte pas cet émetteur', 'Demandez à ses responsables s’ils veulent l’ajouter.'],
  lies: [
    'L’émetteur a fait une erreur',
    'Ce qu’il a envoyé n’est pas cohérent ; rien n’a été ajouté. Adressez-vous à lui.',
  ],
  away: ['Pas de réponse', 'Le serveur derrière ce lien n’est pas joignable pour l’instant.'],
  busy: ['Trop de travail là-bas', 'Le serveur derrière ce lien ne peut pas répondre pour l’instant.'],
  slow: ['Cela prend trop de temps', 'Le serveur derrière ce lien n’a pas répondu à temps.'],
  large: [
    'Trop a été envoyé',
    'Le serveur derrière ce lien a envoyé bien plus qu’une carte ou une demande ; rien n’a été lu.',
  ],
  kept: {
    open: 'Rien n’a été pris, et l’offre n’a pas changé. Réessayez dans une minute.',
    take: 'Aucune carte n’a été ajoutée. Rouvrez l’offre dans une minute ; si elle est terminée, demandez-en une nouvelle à son émetteur.',
    late: 'Cela peut encore aboutir. Regardez vos cartes avant de rouvrir l’offre.',
    request: 'Rien n’a été partagé. Réessayez dans une minute, ou demandez un nouveau lien.',
  },
  full: ['Votre portefeuille est plein', 'Supprimez des cartes inutiles, puis réessayez.'],
  format: ['Cette sorte de carte n’est pas prise en charge', 'Votre organisation ne l’a pas activée.'],
  request: [
    'On ne peut pas répondre à cette demande',
    'Elle est mal faite, ou demande ce que ce portefeuille ne sait pas faire. Rien n’a été partagé. Signalez-le à ceux qui l’ont envoyée.',
  ],
  answered: [
    'Cette demande a déjà reçu une réponse',
    'On ne répond qu’une fois à une demande. Rien n’a été partagé maintenant. Si ce n’était pas vous, demandez-en une nouvelle.',
  ],
  canceled: ['Cette demande a été retirée', 'Ceux qui l’ont faite l’ont retirée. Rien n’a été partagé.'],
  expired: ['Cette demande a expiré', 'Son délai est passé. Rien n’a été partagé. Demandez-en une nouvelle.'],
  over: [
    'Cette demande est terminée',
    'Selon son vérificateur, elle a pris fin : elle a expiré, a reçu une réponse ou a été retirée. Rien n’a été partagé. Demandez-en une nouvelle.',
  ],
  noRequest: [
    'Cette demande n’existe pas',
    'Son vérificateur ne la connaît pas. Le lien est incomplet, ou la demande a été supprimée. Rien n’a été partagé. Demandez-en une nouvelle.',
  ],
  refusedVerifier: [
    'Votre organisation n’accepte pas cette demande',
    'Elle ne connaît pas le demandeur. Rien n’a été partagé.',
  ],
  unknown: ['Ce n’est pas un lien pour votre portefeuille', 'Il est affiché ici et n’a pas été ouvert.'],
  nothing: ['Pas de lien', 'Scannez un code, choisissez une image, ou collez le lien reçu.'],
  scanTitle: 'Scanner un code',
  camera: 'Utiliser la caméra',
  picture: 'Choisir une image du code',
  paste: 'Ou coller le lien',
  pasteHint: 'Il commence par https:// ou openid.',
  open: 'Ouvrir',
  refused: 'La caméra n’est pas autorisée. Choisissez une image, ou collez le lien.',
  absent: 'Pas de caméra ici. Choisissez une image, ou collez le lien.',
  none: 'Pas de code dans cette image. Essayez-en une autre, ou collez le lien.',
  looking: 'Tenez le code devant la caméra.',
  plainScan: 'La caméra a besoin de scripts, désactivés dans ce navigateur.',
  pageTitle: (issuer) => `${issuer} a une carte pour vous`,
  here: 'La prendre ici',
  hereHint: 'Dans le portefeuille de votre organisation, dans ce navigateur.',
  app: 'Ouvrir un autre portefeuille',
  appHint: 'Une application sur cet appareil.',
  device: 'Un autre appareil',
  deviceHint: 'Scannez ce code avec sa caméra : cette page s’y ouvre.',
  pageQr: 'Code de cette page',
  appCode: 'Code pour une application de portefeuille',
  appCodeHint: 'Scannez ce code avec l’application.',
  qr: 'Code de l’offre',
}

/** The texts by language. */
export const offerTexts: Readonly<Record<Language, OfferTexts>> = { en, fr: spaced(fr) }
