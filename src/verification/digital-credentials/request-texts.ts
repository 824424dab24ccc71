/** Texts of the page, by language. */
export const digitalRequestTexts = {
  en: {
    title: 'Present a credential',
    asks: (organisation: string) => `${organisation} asks you for:`,
    present: 'Choose from your wallet',
    otherWallet: 'Open another wallet on this device',
    done: 'Sent. You can close this page.',
    failed: 'Nothing was sent. Try again, or open another wallet.',
  },
  fr: {
    title: 'Présenter une attestation',
    asks: (organisation: string) => `${organisation} vous demande :`,
    present: 'Choisir dans votre portefeuille',
    otherWallet: 'Ouvrir un autre portefeuille sur cet appareil',
    done: 'Envoyé. Vous pouvez fermer cette page.',
    failed: "Rien n'a été envoyé. Réessayez ou ouvrez un autre portefeuille.",
  },
}
