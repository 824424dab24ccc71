/** A rule in words. @param limit What it allows. */
export type Sentence = (limit: string) => string

const en = {
  'attribute.none': () => 'Add at least one attribute.',
  'attribute.reserved': () => 'Credentials use this name themselves. Choose another.',
  'attribute.depth': (n: string) => `Attributes can be at most ${n} deep.`,
  'licence.missing': (n: string) => `A driving licence needs the element ${n}.`,
  'licence.foreign': () => 'A driving licence has no such element. Put it into a namespace of your own.',
  'licence.type': (n: string) => `This element of a driving licence has another kind of value: ${n}.`,
  'attribute.unnamed_kind': () => 'Only a text, a number, a date, or yes or no can name a credential.',
  'template.refill_approved': () => 'No new copies of cards that a person approves.',
  'template.never_valid': () => 'The end must be after the beginning.',
  'template.mdoc_signer': () => 'An mdoc is signed with a certificate and a P-256 key.',
  'claims.unknown': () => 'This is no attribute of this template.',
  'claims.twice': () => 'This attribute, or what it is part of, is there twice.',
  'claims.missing': () => 'Each attribute that is always filled in needs a claim.',
  'webhook.unknown': () => 'Choose a webhook endpoint of your organisation.',
  'provider.unknown': () => 'Your people do not sign in at a provider of this name.',
  'haip.signer': () => 'Your organisation follows HAIP: signed with a certificate and a P-256 key.',
  'haip.request': () =>
    'Your organisation follows HAIP: signed with a certificate and a P-256 key, recognised by it, and encrypted.',
  'signer.did_key': () => 'The did:web has a P-256 key only.',
  'signer.did_prefix': () => 'This needs a certificate, not did:web.',
  'signer.unsigned': () =>
    'A request that is not signed has no signature and no kind of key. Leave both as they are by default.',
  'signer.uncertified': () => 'This has no certificate. Choose no certificate and no kind of key.',
  'verifier.client_needed': () => 'Enter the identifier, or recognise in another way.',
  'verifier.client_extra': () => 'Only with a registration. Leave it empty, or choose that way above.',
  'verifier.attestation_needed': () => 'Enter the attestation, or choose another way above.',
  'verifier.attestation_extra': () => 'Only with an attestation. Leave it empty, or choose that way above.',
  'verifier.attestation': () => 'This is no verifier attestation: a JWT with a sub.',
  'request.all_optional': () => 'At least one credential must not be left out.',
  'request.any_issuer': () => 'The sign * accepts everybody. Choose “Anybody” above, or remove it.',
  'request.issuer': () =>
    'An issuer is a DID, an address that begins with https:// and has no question mark, or the key identifier of a ' +
    'certificate in hex.',
  'request.authorities_twice': () => 'Choose this, or name accepted authorities, but not both.',
  'request.unknown_attribute': () => 'Each must be an attribute that is chosen above.',
  'request.unknown_credential': () => 'Write numbers of the credentials above, such as 1 + 2 | 3.',
  'request.values': (n: string) => `Write texts or whole numbers, at most ${n}.`,
  'request.mdoc_element': () =>
    'Of an mdoc name the namespace and the element, such as org.iso.18013.5.1 / family_name.',
  'request.mdoc_values': () => 'Of an mdoc choose “must be one of”, or any value.',
  'trusted_entity.unknown': () => 'You do not trust one of these any more. Choose again.',
}

const fr: Readonly<Record<keyof typeof en, Sentence>> = {
  'attribute.none': () => 'Ajoutez au moins un attribut.',
  'attribute.reserved': () => 'Les attestations emploient elles-mêmes ce nom. Choisissez-en un autre.',
  'attribute.depth': (n) => `Les attributs ont au plus ${n} niveaux.`,
  'licence.missing': (n) => `Un permis de conduire a besoin de l’élément ${n}.`,
  'licence.foreign': () => 'Un permis de conduire n’a pas cet élément. Placez-le dans un espace de noms à vous.',
  'licence.type': (n) => `Cet élément d’un permis de conduire a un autre type de valeur : ${n}.`,
  'attribute.unnamed_kind': () => 'Seul un texte, un nombre, une date, ou oui ou non peut désigner une attestation.',
  'template.refill_approved': () => 'Pas de nouvelles copies pour une carte que l’un de nous approuve.',
  'template.never_valid': () => 'La fin doit venir après le début.',
  'template.mdoc_signer': () => 'Un mdoc est signé avec un certificat et une clé P-256.',
  'claims.unknown': () => 'Ce n’est pas un attribut de ce modèle.',
  'claims.twice': () => 'Cet attribut, ou ce dont il fait partie, figure deux fois.',
  'claims.missing': () => 'Chaque attribut toujours rempli a besoin d’une donnée du fournisseur.',
  'webhook.unknown': () => 'Choisissez un point de réception de votre organisation.',
  'provider.unknown': () => 'Vos membres ne se connectent pas auprès d’un fournisseur de ce nom.',
  'haip.signer': () => 'Votre organisation suit HAIP : signature avec un certificat et une clé P-256.',
  'haip.request': () =>
    'Votre organisation suit HAIP : demande signée avec un certificat et une clé P-256, reconnue par lui, et chiffrée.',
  'signer.did_key': () => 'Le did:web n’a qu’une clé P-256.',
  'signer.did_prefix': () => 'Il faut un certificat, pas did:web.',
  'signer.unsigned': () => 'Une demande non signée n’a ni signature ni type de clé. Laissez les deux par défaut.',
  'signer.uncertified': () => 'Il n’y a pas de certificat ici. Ne choisissez ni certificat ni type de clé.',
  'verifier.client_needed': () => 'Saisissez l’identifiant, ou choisissez une autre manière.',
  'verifier.client_extra': () =>
    'Avec un enregistrement seulement. Laissez vide, ou choisissez cette manière ci-dessus.',
  'verifier.attestation_needed': () => 'Saisissez l’attestation, ou choisissez une autre manière ci-dessus.',
  'verifier.attestation_extra': () =>
    'Avec une attestation seulement. Laissez vide, ou choisissez cette manière ci-dessus.',
  'verifier.attestation': () => 'Ce n’est pas une attestation de vérificateur : un JWT avec un sub.',
  'request.all_optional': () => 'Au moins une attestation ne doit pas pouvoir être omise.',
  'request.any_issuer': () =>
    'Le signe * accepte tout le monde. Choisissez « N’importe qui » ci-dessus, ou retirez-le.',
  'request.issuer': () =>
    'Un émetteur est un DID, une adresse qui commence par https:// et n’a pas de point d’interrogation, ou ' +
    'l’identifiant de clé d’un certificat en hexadécimal.',
  'request.authorities_twice': () => 'Choisissez ceci ou nommez des autorités acceptées, pas les deux.',
  'request.unknown_attribute': () => 'Chacun doit être un attribut choisi ci-dessus.',
  'request.unknown_credential': () => 'Écrivez des numéros des attestations ci-dessus, par exemple 1 + 2 | 3.',
  'request.values': (n) => `Écrivez des textes ou des nombres entiers, au plus ${n}.`,
  'request.mdoc_element': () =>
    'D’un mdoc, nommez l’espace de noms et l’élément, par exemple org.iso.18013.5.1 / family_name.',
  'request.mdoc_values': () => 'D’un mdoc, choisissez « doit être parmi », ou toute valeur.',
  'trusted_entity.unknown': () => 'L’une d’elles n’est plus de confiance. Choisissez de nouveau.',
}

/** Sentences for the rules of credential templates and presentation templates, by language. */
export const designRules = { en, fr } as const
