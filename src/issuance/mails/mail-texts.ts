import type { Language } from '../../contract/languages.ts'

/** The values of a mail; names are one line of plain text each. */
type MailValues = {
  readonly organisation: string
  readonly credential: string
  readonly link: string
  /** When the offer ends, in the language of the mail. */
  readonly end: string
  /** The holder must enter a transaction code. */
  readonly hasCode: boolean
}

type MailTexts = { readonly subject: (values: MailValues) => string; readonly lines: (values: MailValues) => string[] }

const en: MailTexts = {
  // The kind of credential may be confidential, and subjects show on locked screens.
  subject: ({ organisation }) => `${organisation} has a credential for you`,
  lines: ({ organisation, credential, link, end, hasCode }) => [
    'Hello,',
    `${organisation} offers you: ${credential}.`,
    'Open this page to take it into your wallet:',
    link,
    `The offer ends on ${end}. It can be taken once, so do not forward this mail.`,
    ...(hasCode
      ? [`You will be asked for a code. It is not in this mail: ${organisation} gives it to you another way.`]
      : []),
    `If you expect nothing from ${organisation}, ignore this mail.`,
  ],
}

const fr: MailTexts = {
  subject: ({ organisation }) => `${organisation} a une attestation pour vous`,
  lines: ({ organisation, credential, link, end, hasCode }) => [
    'Bonjour,',
    `${organisation} vous propose : ${credential}.`,
    'Ouvrez cette page pour la recevoir dans votre portefeuille :',
    link,
    `L’offre prend fin le ${end}. Elle ne sert qu’une fois : ne transférez pas ce message.`,
    ...(hasCode
      ? [
          `Un code vous sera demandé. Il n’est pas dans ce message : ${organisation} vous le communique par une autre voie.`,
        ]
      : []),
    `Si vous n’attendez rien de ${organisation}, ignorez ce message.`,
  ],
}

const texts: Readonly<Record<Language, MailTexts>> = { en, fr }

/** Returns the mail of an offer: subject and plain text. */
export function offerMailText(
  language: Language,
  values: MailValues,
): { readonly subject: string; readonly text: string } {
  const { subject, lines } = texts[language]
  return { subject: subject(values), text: `${lines(values).join('\n\n')}\n` }
}
