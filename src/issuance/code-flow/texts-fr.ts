import type { ConsentTexts } from './texts-en.ts'

/** Texts of the consent page of an issuer in French. */
export const fr: ConsentTexts = {
  title: (credential) => `Ajouter « ${credential} » à un portefeuille ?`,
  as: (username, organisation) => `Vous êtes connecté en tant que ${username} de ${organisation}.`,
  issuer: 'Délivré par',
  wallet: 'Destination',
  content: 'Contenu',
  contentLater: (organisation) => `${organisation} le complète lorsque vous acceptez. Il peut contenir :`,
  contentOfProvider: 'Elle reprend ce que votre fournisseur d’identité indique à votre sujet. Elle peut contenir :',
  lacksClaims: (organisation) =>
    `${organisation} établit cette attestation à partir de ce que son fournisseur d’identité indique à votre sujet, et cette connexion n’en a rien apporté. Connectez-vous plutôt chez le fournisseur d’identité. Si vous n’y avez pas de compte, adressez-vous à ${organisation}.`,
  signInElsewhere: 'Se connecter chez le fournisseur d’identité',
  notRegistered: (organisation) =>
    `${organisation} ne connaît pas ce portefeuille. Continuez seulement si vous venez d’y demander l’attestation.`,
  website: (host) => `le site ${host}`,
  app: (scheme) => `une application de cet appareil (${scheme})`,
  local: 'un programme de cet ordinateur',
  allow: 'Ajouter au portefeuille',
  deny: 'Refuser',
  yes: 'oui',
  no: 'non',
  none: 'non indiqué',
  file: 'une image ou un fichier',
  more: (count) => `et ${count} de plus`,
}
