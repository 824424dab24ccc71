import type { Language } from '../../contract/languages.ts'
import { spaced } from '../../pages/language.ts'

const en = {
  title: (organisation: string) => `${organisation} asks you to show something`,
  asks: 'You are asked for',
  why: 'Why:',
  choice: 'You see what is sent before you agree.',
  expires: 'Expires',
  here: 'Answer it here',
  walletHint: 'Scan this code with its wallet.',
  qr: 'Code of the request',
}

/** The texts of the page of a request. */
type PublicRequestTexts = typeof en

const fr: PublicRequestTexts = {
  title: (organisation) => `${organisation} vous demande de montrer quelque chose`,
  asks: 'On vous demande',
  why: 'Pourquoi :',
  choice: 'Vous voyez ce qui part avant d’accepter.',
  expires: 'Expire le',
  here: 'Répondre ici',
  walletHint: 'Scannez ce code avec son portefeuille.',
  qr: 'Code de la demande',
}

/** The texts by language. */
export const publicRequestTexts: Readonly<Record<Language, PublicRequestTexts>> = { en, fr: spaced(fr) }
